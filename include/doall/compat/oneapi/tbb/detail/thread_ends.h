// A number for each thread, and what it does at its end.
#ifndef DOALL_COMPAT_THREAD_ENDS_H
#define DOALL_COMPAT_THREAD_ENDS_H

#include "context.h"

#include <atomic>
#include <cstdint>

#include <pthread.h>

namespace tbb {
inline namespace doall_v0 {
namespace detail {

// This thread's number among all that ask in any library.
[[gnu::visibility("hidden")]] inline thread_local std::uint64_t own_number = 0;
inline std::uint64_t thread_number() {
  if (own_number == 0)
    // (1) relaxed; alone: a number
    own_number = 1 + count_one(process_counts().threads, std::memory_order_relaxed);
  return own_number;
}

// Has a function called at the end of threads, while libdoall still knows them (threads/pool.cpp).
// A thread_local object's destructor would keep the library from being unloaded.
class thread_ends {
 public:
  explicit constexpr thread_ends(void (*call)(void*)) : call_(call) {}
  ~thread_ends() {
    // (2) relaxed; alone: no other thread is in this library any more
    const std::uint64_t its = key_.exchange(none, std::memory_order_relaxed);
    if (its < unmade) pthread_key_delete(static_cast<pthread_key_t>(its));
  }
  thread_ends(const thread_ends&) = delete;
  thread_ends& operator=(const thread_ends&) = delete;

  // False: it cannot.
  bool call_at_end_of_this_thread() {
    // (3) relaxed; alone: the key's number is all there is
    std::uint64_t its = key_.load(std::memory_order_relaxed);
    if (its == unmade) {
      pthread_key_t made{};
      if (pthread_key_create(&made, call_) != 0) return false;
      // (4) relaxed; alone: as (3)
      if (key_.compare_exchange_strong(its, made, std::memory_order_relaxed))
        its = made;
      else
        pthread_key_delete(made);
    }
    return its < unmade && pthread_setspecific(static_cast<pthread_key_t>(its), this) == 0;
  }

 private:
  static constexpr std::uint64_t unmade = std::uint64_t{1} << 32;
  static constexpr std::uint64_t none = unmade + 1;
  void (*call_)(void*);
  std::atomic<std::uint64_t> key_{unmade};
};

}  // namespace detail
}  // namespace doall_v0
}  // namespace tbb

#endif
