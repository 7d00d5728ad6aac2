#include "driver/paced.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.hpp"

namespace doall::bench {

pace::pace(double minutes, std::size_t programs)
    : end_ns_(base::now_ns() + static_cast<std::uint64_t>(minutes * 60e9)),
      programs_left_(programs) {}

unsigned pace::rounds(double serial_ns, std::size_t lanes, std::size_t entrants,
                      unsigned rounds_min) {
  // kernels/harness.hpp: a lane makes the input and runs the program serially, each entrant
  // is checked by two runs, and a turn wakes the threads, prepares the input and runs. Half of a
  // serial run is what two threads take.
  constexpr double start_runs = 2;
  constexpr double check_runs = 1.2;
  constexpr double turn_runs = 0.7;
  constexpr double turn_ns = 8e6;
  const double left_ns = static_cast<double>(end_ns_) - static_cast<double>(base::now_ns());
  const double share_ns = left_ns / static_cast<double>(std::max<std::size_t>(1, programs_left_));
  if (programs_left_ > 0) --programs_left_;
  const double before_ns = serial_ns * (start_runs * static_cast<double>(lanes) +
                                        check_runs * static_cast<double>(entrants));
  const double round_ns = (turn_ns + turn_runs * serial_ns) * static_cast<double>(entrants + 1);
  const double found = (share_ns - before_ns) / round_ns;
  return static_cast<unsigned>(std::clamp<double>(found, rounds_min, rounds_max));
}

void add_paced_options(cli::option_parser& options, run_options& o, double& minutes) {
  o.rounds = 0;
  add_rounds_option(
      options, o,
      fmt::format("what --minutes has room for,\nat most {} a program", pace::rounds_max));
  add_json_option(options, o);
  add_minutes_option(options, minutes,
                     "default 5. Programs that are judged have 6 or more in any case, others 3");
}

}  // namespace doall::bench
