// Memory for one loop's results, which its thread keeps for the next: a loop that needs memory
// allocates nothing once its thread has run one like it.
#pragma once

#include <cstddef>

#include "base/cache_line.hpp"
#include "doall/abi.h"

namespace doall::native {

// The most that a thread keeps, so that one large loop does not hold its memory for the rest of the
// thread's life; and the alignment of kept memory.
inline constexpr std::size_t kept_bytes_max = DOALL_SCRATCH_KEPT_BYTES;
inline constexpr std::size_t kept_alignment = base::apart_bytes;

// As doall_scratch_take() and doall_scratch_give() of abi.h.
void* take_scratch(std::size_t bytes, std::size_t alignment);
void give_scratch(void* memory);

}  // namespace doall::native
