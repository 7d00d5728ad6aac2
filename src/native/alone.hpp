// A native loop on its caller, in pieces, until it has taken too long (src/decide/README.md).
#pragma once

#include <cstdint>

#include "decide/decide.hpp"
#include "doall/abi.h"

namespace doall::native {

// How it went.
struct alone_run {
  int verdict = 0;         // what its body returned
  std::uint64_t next = 0;  // the first iteration that has not run
  std::uint64_t last = 0;  // iterations of the last piece
  double index_ns = 0;     // an index, in the faster one of the last two pieces
  double elapsed_ns = 0;   // since it began

  bool is_recalled(const doall_loop& loop) const { return verdict == 0 && next < loop.iterations; }
};

// Runs iterations from `first` on, which was reached before_ns after the loop began.
alone_run run_until_recalled(const doall_loop& loop, const decide::recall& until,
                             std::uint64_t first, double before_ns);

// Measures again how long the clock's ticks are. Called now and then.
void measure_tick();
// How many of them are about so long.
std::uint64_t ticks_in(double ns);

}  // namespace doall::native
