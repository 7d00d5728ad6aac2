// What a processor says of itself without a call: which thread runs, and a clock. The runtime has
// the same from here (src/base). C++17, for doall::compat has it, too.
#pragma once

#include <cstdint>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <pthread.h>
#endif

namespace doall {
inline namespace v0 {
namespace detail {

// Identifies a thread among all that live: the address of its control block. As
// doall_thread::owner has it.
inline void* thread_pointer() {
#if defined(__x86_64__)
  void* pointer;
  asm("movq %%fs:0, %0" : "=r"(pointer));
  return pointer;
#elif defined(__aarch64__)
  return __builtin_thread_pointer();
#else
  return reinterpret_cast<void*>(pthread_self());
#endif
}

// The processor's clock. Where there is none that is cheap to read, it is always late.
inline std::uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return ~std::uint64_t{0};
#endif
}

}  // namespace detail
}  // namespace v0
}  // namespace doall
