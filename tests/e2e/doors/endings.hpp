// A process of random programs, from its beginning to its end.
#pragma once

#include "doors/page.hpp"

namespace doall::doors {

// A program on a few threads that begin and end with it.
void run_program(u64 seed);

// What main() does; null: no such ending.
using ending = int (*)(u64 seed);
ending find_ending(const char* name);

}  // namespace doall::doors
