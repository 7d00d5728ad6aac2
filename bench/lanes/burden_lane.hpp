// burden's lanes: an empty loop on one runtime each. Verbs (lanes/server.hpp has the protocol):
//   check SCHEDULE LOOPS     the part of the loops that were shared
//   time SCHEDULE BATCHES    nanoseconds a loop, one number a batch
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/sync.hpp"
#include "lanes/server.hpp"

namespace doall::bench {

inline constexpr int iterations = 128;

// The body that is timed: the index must be computed, nothing else happens.
struct empty_body {
  static void run(int i) { asm volatile("" : : "r"(i)); }
};

// The body that is checked. Never in the same batch as the other.
struct counting_body {
  static inline sync::atomic<std::uint64_t> runs[iterations];

  // (1) relaxed; alone: the end of the loop orders it before anyone reads
  static void run(int i) { runs[i].fetch_add(1, sync::relaxed); }
};

// Tells whether the threads share the loops at all: a runtime that does not wait
// for a late thread may have the caller run all of a short loop. As good as
// empty, so that the loop stays as short as the timed one.
struct witness_body {
  static inline thread_local bool is_caller = false;
  static inline sync::atomic<std::uint64_t> last_elsewhere;  // loops whose end another thread ran

  static void run(int i) {
    empty_body::run(i);
    if (i != iterations - 1 || is_caller) return;
    // (2) relaxed; alone: one thread a loop, and the ends of loops order those
    last_elsewhere.fetch_add(1, sync::relaxed);
  }
};

struct kernel {
  std::string schedule;
  std::function<void()> prepare;  // before a batch, outside the timed part
  std::function<void(std::uint64_t loops)> run;
  std::function<void(std::uint64_t loops)> run_counting;
  std::function<void(std::uint64_t loops)> run_witnessed;
};

// loop(body) runs decltype(body)::run(i) for i in [0, iterations), in parallel.
// The body goes by its type, so that no runtime has anything to hand on.
template <class Loop>
kernel make_kernel(std::string schedule, Loop loop, std::function<void()> prepare = [] {}) {
  const auto repeat = [loop](auto body) {
    return [loop, body](std::uint64_t loops) {
      for (; loops > 0; --loops) loop(body);
    };
  };
  return {std::move(schedule), std::move(prepare), repeat(empty_body{}), repeat(counting_body{}),
          repeat(witness_body{})};
}

// Answers the driver until the input ends. `library` is what runs the loops, `threads` how many
// threads a loop has.
void serve_burden(const std::string& library, unsigned threads, const std::vector<kernel>& kernels);

}  // namespace doall::bench
