// How much of the calling thread's stack is used: whether one more function may be nested in those
// that wait there.
//
// A thread's bounds are asked for once, which reads a file of the kernel's on the main thread: so
// ask only where nests are deep.
#pragma once

#include <cstdint>

namespace doall::base {

// A part of a stack.
struct stack_part {
  std::uintptr_t bottom = 0;
  std::uintptr_t top = 0;  // 0: nobody has asked

  bool has(const void* place) const {
    return reinterpret_cast<std::uintptr_t>(place) - bottom < top - bottom;
  }
};

// The calling thread's part where less than a quarter of the stack is used, and less than 4 MiB. A
// stack of the program's (a fiber's, a signal's) is not in it; where the bounds cannot be found it
// has nothing.
stack_part low_stack();

}  // namespace doall::base
