// The one source of doall's atomics, fences and futexes.
//
// The same source is compiled three ways:
//   production  std::atomic and the futex system call, nothing added;
//   sanitizers  DOALL_SYNC_DELAYS: in a process that DOALL_SYNC_SEED asks for it, now and then,
//               from a seeded generator, an operation is preceded by a yield or a short spin, so
//               that rare interleavings become common ones;
//   model       DOALL_SYNC_MODEL: Relacy's atomics (sync_model.hpp), so that a
//               model test checks the production source and not a copy of it.
//
// Rules, enforced by tests/tidy: no other file names std::atomic or a memory order of the standard
// library; an operation weaker than seq_cst carries a number in its comment and names the number
// that it pairs with, or says why it is alone.
#pragma once

#include <cstdint>

#if defined(DOALL_SYNC_MODEL)

#include "base/sync_model.hpp"

#else

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <ctime>

#if defined(DOALL_SYNC_DELAYS)
#include "base/sync_delays.hpp"
#endif

#if defined(__SANITIZE_THREAD__)  // GCC
#define DOALL_THREAD_SANITIZER
#elif defined(__has_feature)  // Clang
#if __has_feature(thread_sanitizer)
#define DOALL_THREAD_SANITIZER
#endif
#endif

namespace doall::sync {

inline constexpr std::memory_order relaxed = std::memory_order_relaxed;
inline constexpr std::memory_order acquire = std::memory_order_acquire;
inline constexpr std::memory_order release = std::memory_order_release;
inline constexpr std::memory_order acq_rel = std::memory_order_acq_rel;
inline constexpr std::memory_order seq_cst = std::memory_order_seq_cst;

#if defined(DOALL_SYNC_DELAYS)
template <class T>
using atomic = delayed_atomic<T>;
#else
template <class T>
using atomic = std::atomic<T>;
#endif

// An atomic view of a word that abi.h declares as plain.
template <class T>
using atomic_ref = std::atomic_ref<T>;

// Plain data that a protocol hands from one thread to another. The model build reports any access
// that the protocol does not order; here it costs nothing.
template <class T>
class plain {
 public:
  void set(const T& value) { value_ = value; }
  // The same by a function that writes some of it.
  template <class Change>
  void change(Change by) {
    by(value_);
  }
  const T& get() const { return value_; }

 private:
  T value_{};
};

// A sequentially consistent fence. ThreadSanitizer does not know fences; there a read-modify-write
// of one common variable orders the same pairs.
inline void fence() {
#if defined(DOALL_THREAD_SANITIZER)
  static std::atomic<int> everyone{0};
  everyone.fetch_add(1, std::memory_order_seq_cst);
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

// Keeps the compiler from moving accesses across; no instruction.
inline void compiler_fence() { std::atomic_signal_fence(std::memory_order_seq_cst); }

// Tells the core that this is a spin loop.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

inline void yield() { sched_yield(); }

// Sleeps while `word` holds `expected`; may return early at any time.
inline void futex_wait(atomic<int>& word, int expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

// The same, for at most about so long.
inline void futex_wait_for(atomic<int>& word, int expected, std::uint64_t ns) {
  constexpr std::uint64_t second_ns = 1'000'000'000;
  const timespec length{static_cast<time_t>(ns / second_ns), static_cast<long>(ns % second_ns)};
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, &length, nullptr, 0);
}

inline void futex_wake_one(atomic<int>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

inline void futex_wake_all(atomic<int>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

static_assert(sizeof(atomic<int>) == sizeof(int), "a futex word is 32 bits");

}  // namespace doall::sync

#endif
