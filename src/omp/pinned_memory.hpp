// Memory that the system keeps in RAM, for allocators with the trait `pinned`.
//
// The system locks whole pages, and lets a user lock few of them. So small pieces share pages: each
// page is filled from its beginning to its end, counts the pieces in it, and is unlocked when the
// last one is freed. A larger piece has pages of its own.
#pragma once

#include <cstddef>

namespace doall::omp {

// Null when there is no memory, or when the system refuses to lock it. `alignment` is a power of 2,
// and at most `bytes`. O(1) but for the system's calls.
void* allocate_pinned(std::size_t alignment, std::size_t bytes);

// With the same number of bytes.
void free_pinned(void* memory, std::size_t bytes);

}  // namespace doall::omp
