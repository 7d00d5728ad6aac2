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

inline const char* delay_seed() {
  static const char* const text = std::getenv("DOALL_SYNC_SEED");
  return text;
}

inline base::rng& delay_source() {
  static std::atomic<std::uint64_t> threads{0};
  static const std::uint64_t seed = std::strtoull(delay_seed(), nullptr, 10);
  thread_local base::rng source(seed * 1000003 + threads.fetch_add(1, std::memory_order_relaxed));
  return source;
}

inline void maybe_delay() {
  if (delay_seed() == nullptr) return;
  const std::uint64_t draw = delay_source().below(64);
  if (draw == 0) sched_yield();
  if (draw == 1) {
    for (std::uint64_t spins = delay_source().below(512); spins > 0; --spins) asm volatile("");
  }
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
