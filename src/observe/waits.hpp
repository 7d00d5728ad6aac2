// Time in which an iteration has waited for something that is none of the program's own work:
// chunks from another rank of an MPI job. The report does not count it as busy, so it is overhead
// there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/clock.hpp"

namespace doall::observe {

class waits {
 public:
  static void begin() { here.since_ticks_ = base::ticks(); }

  // Does nothing if the wait began before anything was counted.
  static void end() {
    const std::uint64_t since_ticks = std::exchange(here.since_ticks_, 0);
    if (since_ticks != 0) here.ticks_ += base::ticks() - since_ticks;
  }

  // Of a piece that took so long: without what the thread has waited since it was last asked.
  static std::uint64_t leave_out(std::uint64_t elapsed_ticks) {
    return elapsed_ticks - std::min(elapsed_ticks, std::exchange(here.ticks_, 0));
  }

 private:
  static constinit thread_local waits here;

  std::uint64_t since_ticks_ = 0;
  std::uint64_t ticks_ = 0;
};

}  // namespace doall::observe
