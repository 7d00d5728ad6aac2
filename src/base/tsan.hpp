// For programs that are built with ThreadSanitizer and run on these libraries, which are not: it
// cannot see their atomics, so it would report races on every region's data. Where work passes from
// one thread to another, both annotate it, with an address that both know.
//
// The functions are ThreadSanitizer's own; if they do not exist a call costs one load and a branch.
// Libraries that are built with it annotate nothing: there it sees the atomics, and should find
// what they do not order.
#pragma once

#include "base/sync.hpp"

extern "C" {
[[gnu::weak]] void __tsan_acquire(void* address);
[[gnu::weak]] void __tsan_release(void* address);
}

namespace doall::base {

#if defined(DOALL_THREAD_SANITIZER)
inline constexpr bool tsan_is_told = false;
#else
inline constexpr bool tsan_is_told = true;
#endif

// Whether ThreadSanitizer is in the process.
inline bool tsan_watches() { return __tsan_release != nullptr; }

// Whether a call is worth its place: for code that has to be short.
inline bool tsan_listens() { return tsan_is_told && __tsan_release != nullptr; }

inline void tsan_gives(void* at) {
  if (tsan_is_told && __tsan_release != nullptr) __tsan_release(at);
}
inline void tsan_takes(void* at) {
  if (tsan_is_told && __tsan_acquire != nullptr) __tsan_acquire(at);
}

}  // namespace doall::base
