// Rounds in a limited time: as many as each program's part of it has room for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "driver/experiment.hpp"

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

// For an interval.
inline constexpr unsigned judged_rounds_min = 6;

// --rounds, --json and --minutes. Without --rounds there are 0: as many as there is time for.
void add_paced_options(cli::option_parser& options, run_options& o, double& minutes);

}  // namespace doall::bench
