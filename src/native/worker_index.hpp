// A small number for each thread that asks, so that storage for each worker can be an array.
//
// The engine's own numbers do not serve: each caller is worker 0 of its loops, and a thread may
// take the place of another.
//
// State: a bit for each number below `most_reused`, set while a thread has it; a counter for those
// beyond. Invariant: no two threads have the same number. A number's next owner sees what its last
// one did before it ended.
// Callers: any thread.
// Terminates: a failed compare-and-swap means that another thread has taken or given back a number.
// Cost: a load; at a thread's first call a look at each 64 numbers that are taken.
#pragma once

#include <cstdint>

namespace doall::native {

// As doall_worker_index() of abi.h.
std::uint32_t worker_index();

}  // namespace doall::native
