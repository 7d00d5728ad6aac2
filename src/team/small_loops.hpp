// Loops that are too small to be shared run on their caller: a loop is never
// much slower than it would be without doall.
//
// Sharing a loop of serial time T among P workers costs a burden d, the price of
// release, dealing and join, and makes it T / P + d. It pays if T (1 - 1 / P) > d.
// T is known from the loop's site: how long an iteration took when it was last
// timed, which is the first time, and then once in runs_a_timing. d is measured:
// the time of an empty loop, now and then, since a virtual machine's cores come
// and go.
//
// A loop that gains, but by no more than blocks_most_burdens times d, is shared as
// blocks, one for each worker: it has no time to be balanced in. d is that of such
// a loop; what balances costs some three times as much.
//
// Workers that sleep must be woken first, which costs more than most loops. That
// is the ski rental problem: rent (run alone) until what sharing would have saved
// comes to the price of waking, then buy. So the loss is at most as large again as
// that of the best decision in hindsight.
//
// Asked only for loops that name no schedule: who names one wants it.
//
// State: a table of sites, overwritten when two of them meet in a place; written
// by any thread, relaxed. A word of one site beside a word of another misjudges a
// loop once; no answer depends on it.
// Cost: of a loop that runs alone a look-up, some 5 ns; of one that may gain, and of
// a timing, a clock reading or two more.
#pragma once

#include <cstdint>

#include "base/sync.hpp"

namespace doall::team {

// How long some of a loop's iterations took, on one thread.
struct stopwatch {
  std::uint64_t iterations = 0;
  std::uint64_t elapsed_ns = 0;
};

// What is known of one loop of the source.
class loop_cost {
 public:
  // Whether this run is to be timed. Counts it.
  bool timing_due();

  // What a timing says. One that is out of all proportion (a preempted thread) counts
  // only when the next, which is then due at once, is no better.
  void learn(std::uint64_t iterations, std::uint64_t elapsed_ns);

  void learn(const stopwatch& seen) { learn(seen.iterations, seen.elapsed_ns); }

  bool known() const { return iteration_ns() > 0; }
  double serial_ns(std::uint64_t iterations) const {
    return iteration_ns() * static_cast<double>(iterations);
  }

 private:
  friend loop_cost& cost_of(const void* code);

  double iteration_ns() const {
    // (1) relaxed; alone: an estimate
    return iteration_ns_.load(sync::relaxed);
  }

  sync::atomic<const void*> site_{nullptr};
  sync::atomic<double> iteration_ns_{0};  // 0: not known
  sync::atomic<std::uint32_t> runs_{0};
  sync::atomic<bool> doubted_{false};
};

// The place of the loop whose code that is. Any thread. O(1).
loop_cost& cost_of(const void* code);

enum class sharing {
  none,       // it runs on its caller
  in_blocks,  // one for each worker
  balanced,   // by the schedule for native loops
};

// What a loop that takes so long alone gains most by, of `workers` > 1. When the burden
// was not measured for long, measure_ns() runs an empty loop in blocks on so many and
// returns how long that took; it is called some times, and threads may be started.
sharing best_sharing(double serial_ns, std::uint32_t workers,
                     double (*measure_ns)(std::uint32_t workers));

}  // namespace doall::team
