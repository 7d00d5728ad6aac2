// What other programs had of the CPUs while this command's children ran: beside them no time says
// what a change would save.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace doall::cli {

// Of some CPUs, since the machine began.
struct cpu_seconds {
  double busy = 0;
  double all = 0;
};

// Of these CPUs, by the text of /proc/stat; of all, if it does not tell each of them. Nothing if it
// tells of none.
std::optional<cpu_seconds> cpu_seconds_of(std::string_view proc_stat, const std::vector<int>& cpus);

class other_load {
 public:
  other_load();  // from now on

  // The part of the time until now that was neither idle nor a child's that has ended, of the CPUs
  // of this thread's affinity mask: on a shared machine the others are other people's. Nothing if
  // /proc/stat does not tell.
  std::optional<double> part() const;

  // What the children that have ended since then, and theirs, had of the CPUs.
  std::uint64_t children_ns() const;

 private:
  std::optional<cpu_seconds> of_cpus() const;
  static double of_children();

  std::vector<int> cpus_;
  std::optional<cpu_seconds> cpus_before_;
  double children_before_;
};

}  // namespace doall::cli
