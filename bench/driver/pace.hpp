// How many rounds a program is given when the time for all programs is limited.
#pragma once

#include <cstddef>
#include <cstdint>

namespace doall::bench {

class pace {
 public:
  // From now on, for so many programs.
  pace(double minutes, std::size_t programs);

  // Of the next program, which takes that long serially: as many as its part of the time that is
  // left has room for, by a rough estimate. At least `rounds_min`.
  unsigned rounds(double serial_ns, std::size_t lanes, std::size_t entrants, unsigned rounds_min);

  static constexpr unsigned rounds_max = 20;

 private:
  std::uint64_t end_ns_;
  std::size_t programs_left_;
};

}  // namespace doall::bench
