// The command line of `doall bench lbs` and of `doall bench hybrid`, and what it does.
#pragma once

#include "stealing/comparison.hpp"

namespace doall::bench {

// main(). The lanes are NAME-lane-doall, -openmp-gcc, -openmp-clang and -tbb; the first of them
// takes a schedule as its second argument, the only one then that it takes part under.
int run_stealing_benchmark(const stealing_benchmark& b, int argc, char** argv);

}  // namespace doall::bench
