// What the threads of a doacross loop share (doacross.cpp).
#pragma once

#include <cstdint>

namespace doall::omp {

struct nest_flags;

// `nest`: three words for each of the loops: lower bound, upper bound, step.
nest_flags* make_nest_flags(const void* nest, std::int32_t dimensions);
void free_nest_flags(nest_flags* flags);

}  // namespace doall::omp
