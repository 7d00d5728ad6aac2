// The model checker's atomics: Relacy's, behind the interface of base/sync.hpp,
// so that tests/model/ checks the production source. Part of base/sync.hpp;
// nothing else includes it.
//
// Relacy wants the place of every operation for its histories; the place given
// here is the wrapper's caller, by default arguments.
#pragma once

// What the production source includes, before Relacy redefines words in it.
#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

// Relacy replaces these by macros, for tests that are written in its dialect.
// The production source is not: it gets the words back.
#pragma push_macro("assert")
#pragma push_macro("errno")
#pragma push_macro("EAGAIN")
#pragma push_macro("EBUSY")
#pragma push_macro("EINTR")
#pragma push_macro("EINVAL")
#pragma push_macro("ETIMEDOUT")
#pragma push_macro("EWOULDBLOCK")

#include <relacy/relacy.hpp>

#pragma pop_macro("assert")
#pragma pop_macro("errno")
#pragma pop_macro("EAGAIN")
#pragma pop_macro("EBUSY")
#pragma pop_macro("EINTR")
#pragma pop_macro("EINVAL")
#pragma pop_macro("ETIMEDOUT")
#pragma pop_macro("EWOULDBLOCK")
#undef new
#undef delete
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef futex
#undef sched_yield
#undef memory_order_relaxed
#undef memory_order_consume
#undef memory_order_acquire
#undef memory_order_release
#undef memory_order_acq_rel
#undef memory_order_seq_cst

namespace doall::sync {

inline constexpr rl::memory_order relaxed = rl::mo_relaxed;
inline constexpr rl::memory_order acquire = rl::mo_acquire;
inline constexpr rl::memory_order release = rl::mo_release;
inline constexpr rl::memory_order acq_rel = rl::mo_acq_rel;
inline constexpr rl::memory_order seq_cst = rl::mo_seq_cst;

// A place in the source, taken where the default argument is used.
class place {
 public:
  place(const char* function = __builtin_FUNCTION(), const char* file = __builtin_FILE(),
        unsigned line = __builtin_LINE())
      : info_(function, file, line) {}
  operator const rl::debug_info&() const { return info_; }  // NOLINT: what Relacy takes

 private:
  rl::debug_info info_;
};

template <class T>
class atomic {
 public:
  atomic() : atomic(T{}) {}
  atomic(T value) { raw_.store(value, rl::mo_relaxed, place("initialised")); }  // NOLINT

  T load(rl::memory_order order = seq_cst, const place& here = {}) const {
    return raw_.load(order, here);
  }
  void store(T value, rl::memory_order order = seq_cst, const place& here = {}) {
    raw_.store(value, order, here);
  }
  T exchange(T value, rl::memory_order order = seq_cst, const place& here = {}) {
    return raw_.exchange(value, order, here);
  }
  T fetch_add(T value, rl::memory_order order = seq_cst, const place& here = {}) {
    return raw_.fetch_add(value, order, here);
  }
  T fetch_sub(T value, rl::memory_order order = seq_cst, const place& here = {}) {
    return raw_.fetch_sub(value, order, here);
  }
  T fetch_or(T value, rl::memory_order order = seq_cst, const place& here = {}) {
    return raw_.fetch_or(value, order, here);
  }
  T fetch_and(T value, rl::memory_order order = seq_cst, const place& here = {}) {
    return raw_.fetch_and(value, order, here);
  }
  bool compare_exchange_strong(T& expected, T desired, rl::memory_order success,
                               rl::memory_order failure, const place& here = {}) {
    return raw_.compare_exchange_strong(expected, desired, success, here, failure, here);
  }
  bool compare_exchange_weak(T& expected, T desired, rl::memory_order success,
                             rl::memory_order failure, const place& here = {}) {
    return raw_.compare_exchange_weak(expected, desired, success, here, failure, here);
  }

  rl::atomic<T>& raw() { return raw_; }

 private:
  rl::atomic<T> raw_;
};

// Plain data that a protocol hands from one thread to another: the model
// reports any access that the protocol does not order. Relacy watches a number
// in the value's place, the count of its writes, because it prints what it
// watches and T need not be printable.
template <class T>
class plain {
 public:
  plain() { writes_.store(0, place("initialised")); }

  void set(const T& value, const place& here = {}) {
    writes_.store(++write_count_, here);
    value_ = value;
  }
  template <class Change>
  void change(Change by, const place& here = {}) {
    writes_.store(++write_count_, here);
    by(value_);
  }
  const T& get(const place& here = {}) const {
    writes_.load(here);
    return value_;
  }

 private:
  // rl::var gives load and store with a place only through its proxies.
  class watched {
   public:
    void store(unsigned number, const rl::debug_info& here) { var_(here) = number; }
    void load(const rl::debug_info& here) const { static_cast<void>(var_(here).load()); }

   private:
    rl::var<unsigned> var_;
  };

  watched writes_;
  unsigned write_count_ = 0;
  T value_{};
};

inline void compiler_fence() {}

inline void fence(const place& here = {}) { rl::atomic_thread_fence(rl::mo_seq_cst, here); }
inline void relax(const place& here = {}) { rl::yield(1, here); }
inline void yield(const place& here = {}) { rl::yield(1, here); }

inline void futex_wait(atomic<int>& word, int expected, const place& here = {}) {
  rl::rl_futex(&word.raw(), rl::RL_FUTEX_WAIT, expected, nullptr, nullptr, 0, here);
}
// A model knows no time: either it does not wait, or it waits as the one above.
inline void futex_wait_for(atomic<int>& word, int expected, std::uint64_t, const place& here = {}) {
  futex_wait(word, expected, here);
}
inline void futex_wake_one(atomic<int>& word, const place& here = {}) {
  rl::rl_futex(&word.raw(), rl::RL_FUTEX_WAKE, 1, nullptr, nullptr, 0, here);
}
inline void futex_wake_all(atomic<int>& word, const place& here = {}) {
  constexpr int everyone = 1 << 20;
  rl::rl_futex(&word.raw(), rl::RL_FUTEX_WAKE, everyone, nullptr, nullptr, 0, here);
}

// A word that is not ours to declare: what it says is an estimate, so the model does not watch it.
template <class T>
class atomic_ref {
 public:
  explicit atomic_ref(T& word) : word_(word) {}
  template <class Order>
  T load(Order) const {
    return word_;
  }
  template <class Order>
  void store(T value, Order) const {
    word_ = value;
  }

 private:
  T& word_;
};

}  // namespace doall::sync
