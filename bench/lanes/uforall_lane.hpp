// uforall's lanes: its loops on one runtime each, for envelope, idle, oversubscribed and noisy.
//
// Protocol, one line each way:
//   the lane begins with                          library  threads  schedule  schedule ...
//   loop INDEX SITE ITERATIONS UNITS              nanoseconds of one such loop
//   run INDEX SITE ITERATIONS UNITS GAP TIME      mean, median, 99th percentile and longest
//                                                 of the loops' nanoseconds, and how many
//                                                 CPUs other threads keep busy in the gaps; or
//                                                 "wrong: ..."
//   rest INDEX SITE ITERATIONS UNITS TIME REST    CPU time that the process takes in REST
//                                                 after such loops, REST of sleep
//   time INDEX own|shuffled SEED UNITS...         nanoseconds a loop for every T, or "wrong: ..."
// INDEX counts the schedules of the first line from 0; SITE is whose loop of the source it
// is. GAP, TIME and REST are in nanoseconds: the caller's own work between two loops, for
// how long loops are run, and for how long it sleeps afterwards. UNITS is what an iteration
// computes; of `time`, one for each T. `own`: each T at its own site, one after the other;
// `shuffled`: all T at one site, in an order that comes from SEED.
#pragma once

#include <string>
#include <vector>

#include "lanes/uforall.hpp"

namespace doall::bench {

// Answers the driver until the input ends. `library` is what runs the loops,
// `threads` how many threads a loop has.
void serve(const std::string& library, unsigned threads,
           const std::vector<uforall::variant>& variants);

}  // namespace doall::bench
