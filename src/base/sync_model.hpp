// The model checker's atomics: Relacy's, behind the interface of base/sync.hpp,
// so that tests/model_* check the production source. Part of base/sync.hpp;
// nothing else includes it.
//
// Relacy wants the place of every operation for its histories; the place given
// here is the wrapper's caller, by default arguments.
#pragma once

// What Relacy's headers replace by macros has to be included before them.
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

#include <relacy/relacy.hpp>
#include <relacy/stdlib/pthread.hpp>

namespace doall::sync {

inline constexpr rl::memory_order relaxed = rl::mo_relaxed;
inline constexpr rl::memory_order acquire = rl::mo_acquire;
inline constexpr rl::memory_order release = rl::mo_release;
inline constexpr rl::memory_order acq_rel = rl::mo_acq_rel;
inline constexpr rl::memory_order seq_cst = rl::mo_seq_cst;

#define DOALL_HERE rl::debug_info(file, line)
#define DOALL_CALLER const char *file = __builtin_FILE(), int line = __builtin_LINE()

template <class T>
class atomic {
 public:
  atomic() { raw_.store(T{}, rl::mo_relaxed, rl::debug_info("init", 0)); }
  atomic(T value) { raw_.store(value, rl::mo_relaxed, rl::debug_info("init", 0)); }  // NOLINT

  T load(rl::memory_order order = seq_cst, DOALL_CALLER) const {
    return raw_.load(order, DOALL_HERE);
  }
  void store(T value, rl::memory_order order = seq_cst, DOALL_CALLER) {
    raw_.store(value, order, DOALL_HERE);
  }
  T exchange(T value, rl::memory_order order = seq_cst, DOALL_CALLER) {
    return raw_.rmw(rl::rmw_type_t<rl::rmw_type_swap>(), value, order, DOALL_HERE);
  }
  T fetch_add(T value, rl::memory_order order = seq_cst, DOALL_CALLER) {
    return raw_.rmw(rl::rmw_type_t<rl::rmw_type_add>(), value, order, DOALL_HERE);
  }
  T fetch_sub(T value, rl::memory_order order = seq_cst, DOALL_CALLER) {
    return raw_.rmw(rl::rmw_type_t<rl::rmw_type_sub>(), value, order, DOALL_HERE);
  }
  bool compare_exchange_strong(T& expected, T desired, rl::memory_order success,
                               rl::memory_order failure, DOALL_CALLER) {
    return raw_.compare_exchange(rl::bool_t<false>(), expected, desired, success, failure,
                                 DOALL_HERE);
  }
  bool compare_exchange_weak(T& expected, T desired, rl::memory_order success,
                             rl::memory_order failure, DOALL_CALLER) {
    return raw_.compare_exchange(rl::bool_t<true>(), expected, desired, success, failure,
                                 DOALL_HERE);
  }

  rl::atomic<T>& raw() { return raw_; }

 private:
  rl::atomic<T> raw_;
};

// Plain data that a protocol hands from one thread to another: the model
// reports any access that is not ordered by the protocol.
template <class T>
class plain {
 public:
  void set(const T& value, DOALL_CALLER) { value_(DOALL_HERE) = value; }
  T get(DOALL_CALLER) const { return value_(DOALL_HERE); }

 private:
  mutable rl::var<T> value_;
};

inline void fence(DOALL_CALLER) { rl::atomic_thread_fence(rl::mo_seq_cst, DOALL_HERE); }
inline void relax(DOALL_CALLER) { rl::yield(1, DOALL_HERE); }
inline void yield(DOALL_CALLER) { rl::yield(1, DOALL_HERE); }

inline void futex_wait(atomic<int>& word, int expected, DOALL_CALLER) {
  rl::rl_futex(&word.raw(), rl::RL_FUTEX_WAIT, expected, nullptr, nullptr, 0, DOALL_HERE);
}
inline void futex_wake_one(atomic<int>& word, DOALL_CALLER) {
  rl::rl_futex(&word.raw(), rl::RL_FUTEX_WAKE, 1, nullptr, nullptr, 0, DOALL_HERE);
}
inline void futex_wake_all(atomic<int>& word, DOALL_CALLER) {
  rl::rl_futex(&word.raw(), rl::RL_FUTEX_WAKE, 1 << 20, nullptr, nullptr, 0, DOALL_HERE);
}

#undef DOALL_CALLER
#undef DOALL_HERE

}  // namespace doall::sync
