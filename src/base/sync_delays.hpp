// The atomics of the sanitizers' builds: before an operation, now and then, the thread yields or
// spins, so that interleavings which need a thread to stop between two particular operations happen
// thousands of times a second.
//
// Where DOALL_SYNC_SEED is set, to a number: stress tests set it (tests/support/delays.cpp), and
// any other program may have it. Seeded by it and by the order in which threads first touch an
// atomic. Part of base/sync.hpp; nothing else includes it.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdlib>

#include "base/rng.hpp"

namespace doall::sync {

inline constexpr std::uint64_t not_looked_up = 0;
inline constexpr std::uint64_t no_delays = 1;
inline constexpr std::uint64_t first_seed = 2;
inline constinit std::atomic<std::uint64_t> known_seed{not_looked_up};

// No static of the function: a child of fork() may find its guard held.
// Relaxed, alone: each thread that looks finds the same, and nothing else is read by it.
[[gnu::noinline]] inline std::uint64_t delay_seed() {
  std::uint64_t seed = known_seed.load(std::memory_order_relaxed);
  if (seed == not_looked_up) {
    const char* const text = std::getenv("DOALL_SYNC_SEED");
    seed = text == nullptr ? no_delays : first_seed + std::strtoull(text, nullptr, 10);
    known_seed.store(seed, std::memory_order_relaxed);
  }
  return seed;
}

inline constinit std::atomic<std::uint64_t> delayed_threads{0};

inline base::rng& delay_source() {
  thread_local base::rng source(delay_seed() * 1000003 +
                                delayed_threads.fetch_add(1, std::memory_order_relaxed));
  return source;
}

[[gnu::noinline]] inline void delay_by_chance() {
  const std::uint64_t draw = delay_source().below(64);
  if (draw == 0) sched_yield();
  if (draw == 1) {
    for (std::uint64_t spins = delay_source().below(512); spins > 0; --spins) asm volatile("");
  }
}

// Before each atomic operation of these builds, most of which have no delays: one load, relaxed, as
// delay_seed()'s.
[[gnu::always_inline]] inline void maybe_delay() {
  const std::uint64_t seed = known_seed.load(std::memory_order_relaxed);
  if (seed == no_delays || (seed == not_looked_up && delay_seed() == no_delays)) return;
  delay_by_chance();
}

template <class T>
class delayed_atomic {
 public:
  constexpr delayed_atomic() = default;
  constexpr delayed_atomic(T value) : value_(value) {}  // NOLINT: like std::atomic

  T load(std::memory_order order = std::memory_order_seq_cst) const {
    maybe_delay();
    return value_.load(order);
  }
  void store(T value, std::memory_order order = std::memory_order_seq_cst) {
    maybe_delay();
    value_.store(value, order);
  }
  T exchange(T value, std::memory_order order = std::memory_order_seq_cst) {
    maybe_delay();
    return value_.exchange(value, order);
  }
  T fetch_add(T value, std::memory_order order = std::memory_order_seq_cst) {
    maybe_delay();
    return value_.fetch_add(value, order);
  }
  T fetch_sub(T value, std::memory_order order = std::memory_order_seq_cst) {
    maybe_delay();
    return value_.fetch_sub(value, order);
  }
  T fetch_or(T value, std::memory_order order = std::memory_order_seq_cst) {
    maybe_delay();
    return value_.fetch_or(value, order);
  }
  T fetch_and(T value, std::memory_order order = std::memory_order_seq_cst) {
    maybe_delay();
    return value_.fetch_and(value, order);
  }
  bool compare_exchange_strong(T& expected, T desired,
                               std::memory_order success = std::memory_order_seq_cst,
                               std::memory_order failure = std::memory_order_seq_cst) {
    maybe_delay();
    return value_.compare_exchange_strong(expected, desired, success, failure);
  }
  bool compare_exchange_weak(T& expected, T desired,
                             std::memory_order success = std::memory_order_seq_cst,
                             std::memory_order failure = std::memory_order_seq_cst) {
    maybe_delay();
    return value_.compare_exchange_weak(expected, desired, success, failure);
  }

 private:
  std::atomic<T> value_;
};

}  // namespace doall::sync
