// uforall, the micro-benchmark of fine-grain (section 5.1, Figure 10, Table 1): one
// parallel loop whose serial time T is varied.
//
// The paper says neither how many iterations its loop has nor what they compute. Here
// T grows by doubling the iterations, about 5 ns each, up to 1,024 of them, and from
// then on by doubling what an iteration computes. So the smallest loops still have an
// iteration for each of two threads, and the largest ones could feed many cores.
//
// What makes an iteration's time add up: it begins with what the thread's previous
// iteration ended with (a bit that is 0, which no processor knows), so that iterations
// of one thread never overlap, and half of them take half of T.
//
// Imbalance: none. Affinity: none; a thread writes to its own line alone.
//
// Its lanes, for envelope, idle, oversubscribed and noisy, have these verbs (lanes/server.hpp has
// the protocol):
//   loop SCHEDULE SITE ITERATIONS UNITS              nanoseconds of one such loop
//   run SCHEDULE SITE ITERATIONS UNITS GAP TIME      mean, median, 99th percentile and longest
//                                                    of the loops' nanoseconds, and how many
//                                                    CPUs other threads keep busy in the gaps
//   rest SCHEDULE SITE ITERATIONS UNITS TIME REST    CPU time that the process takes in REST
//                                                    after such loops, REST of sleep
//   time SCHEDULE own|shuffled|swinging SEED UNITS...
//                                                    nanoseconds a loop for every T
// SITE is whose loop of the source it is. GAP, TIME and REST are in nanoseconds: the caller's own
// work between two loops, for how long loops are run, and for how long it sleeps afterwards. UNITS
// is what an iteration computes; of `time`, one for each T. `own`: each T at its own site, one
// after the other; `shuffled`: all T at one site, in an order that comes from SEED; `swinging`: as
// `own`, but every other loop's iterations compute twice as much: the mean of both kinds.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace doall::bench::uforall {

// 10 ns, 20 ns, 40 ns, ... 10.5 ms.
inline constexpr std::size_t sizes = 21;

constexpr double serial_ns(std::size_t k) {
  return 10.0 * static_cast<double>(std::uint64_t{1} << k);
}

struct loop_size {
  std::int64_t iterations;
  std::uint64_t units;  // that an iteration computes
};

constexpr std::int64_t iterations(std::size_t k) {
  return std::min<std::int64_t>(std::int64_t{2} << k, 1024);
}

// Iteration i of a loop. Any thread. Compiled once, for all runtimes.
void iterate(std::int64_t i, std::uint64_t units);

// What all iterations since the last call add up to, modulo 2^64. Between loops only.
std::uint64_t take_sum();

// What one loop must add; as slow as the loop.
std::uint64_t expected_sum(loop_size s);

// One loop of the source, from its start to its end.
using site = void (*)(loop_size s);

// A line of sites.inc each: one for every T, and one for all of them.
using sites_of = std::array<site, sizes + 1>;
inline constexpr std::size_t shared_site = sizes;

// The loop under one schedule of a runtime.
struct variant {
  std::string schedule;
  sites_of at;
  // Calls what it is given where the runtime's loops are to be started.
  std::function<void(const std::function<void()>&)> enter = [](const auto& run) { run(); };
};

}  // namespace doall::bench::uforall

namespace doall::bench {

// Answers the driver until the input ends. `library` is what runs the loops,
// `threads` how many threads a loop has.
void serve_uforall(const std::string& library, unsigned threads,
                   const std::vector<uforall::variant>& variants);

}  // namespace doall::bench
