// How much of the calling thread's stack is used: whether one more function may be nested in those
// that wait there.
//
// A thread's bounds are asked for once, which reads a file of the kernel's on the main thread: so
// ask only where nests are deep. A thread that runs on a stack of the program's (a fiber, a
// signal's) is told no, and so is one whose bounds cannot be found.
#pragma once

#include <cstddef>
#include <cstdint>

namespace doall::base {

class stack_use {
 public:
  // Whether less than a quarter of the thread's stack is used, and less than `most_bytes`.
  static bool is_low() {
    static constinit thread_local part free;
    if (free.top == 0) [[unlikely]]
      free = learn();
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    return here < free.top && here >= free.bottom;
  }

 private:
  static constexpr std::size_t most_bytes = 4 << 20;

  struct part {
    std::uintptr_t bottom = 0;
    std::uintptr_t top = 0;  // 0: nobody has asked
  };
  // The part of the calling thread's stack that may be used; unknown: an empty one.
  static part learn();
};

}  // namespace doall::base
