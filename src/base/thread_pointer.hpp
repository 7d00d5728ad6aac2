// Identifies a thread among all that live, without a call: the address of its control block.
// include/doall/detail/open_loops.hpp has the same.
#pragma once

#include <pthread.h>

#include <cstdint>

namespace doall::base {

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

}  // namespace doall::base
