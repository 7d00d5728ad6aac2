// OMP_ALLOCATOR: a predefined allocator, or one that is made of a memory space and traits.
#pragma once

#include <cstdint>
#include <string>

namespace doall::omp {

// The allocator that the variable names; makes it, if it is none of the predefined ones. Otherwise
// warns and returns omp_default_mem_alloc. Called once.
std::uintptr_t allocator_from_environment();

// As the variable has it: the name of a predefined allocator, or the text that named another.
std::string allocator_text(std::uintptr_t handle);

}  // namespace doall::omp
