// envelope's lanes: uforall on one runtime each.
//
// Protocol, one line each way:
//   the lane begins with                    library  threads  schedule  schedule ...
//   loop INDEX ITERATIONS UNITS             nanoseconds of one such loop
//   time INDEX own|shuffled SEED UNITS...   nanoseconds a loop for every T, or "wrong: ..."
// INDEX counts the schedules of the first line from 0; UNITS is what an iteration of
// the loop of each T computes. `own`: each T at its own site, one after the other;
// `shuffled`: all T at one site, in an order that comes from SEED.
#pragma once

#include <string>
#include <vector>

#include "kernels/uforall/kernel.hpp"

namespace doall::bench {

// Answers the driver until the input ends. `library` is what runs the loops,
// `threads` how many threads a loop has.
void serve(const std::string& library, unsigned threads,
           const std::vector<uforall::variant>& variants);

}  // namespace doall::bench
