// What other programs had of the CPUs while this command's children ran: beside them no time says
// what a change would save.
#pragma once

#include <cstdint>
#include <optional>

namespace doall::cli {

class other_load {
 public:
  other_load();  // from now on

  // The part of all CPUs' time until now that was neither idle nor a child's that has ended;
  // nothing if /proc/stat does not tell.
  std::optional<double> part() const;

  // What the children that have ended since then, and theirs, had of the CPUs.
  std::uint64_t children_ns() const;

 private:
  struct seconds {
    double busy = 0;
    double all = 0;
  };
  static std::optional<seconds> of_machine();
  static double of_children();

  std::optional<seconds> machine_before_;
  double children_before_;
};

}  // namespace doall::cli
