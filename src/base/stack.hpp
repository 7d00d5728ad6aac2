// How much of the calling thread's stack is used: whether one more function may be nested in those
// that wait there.
//
// A thread's bounds are asked for once, which reads a file of the kernel's on the main thread: so
// ask only where nests are deep.
#pragma once

namespace doall::base {

// Whether less than a quarter of the thread's stack is used, and less than 4 MiB. False on a stack
// of the program's (a fiber's, a signal's), and where the bounds cannot be found.
bool stack_use_is_low();

}  // namespace doall::base
