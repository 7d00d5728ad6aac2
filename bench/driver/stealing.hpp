// The command line of `doall bench lbs` and of `doall bench hybrid`, and what it does.
#pragma once

#include "driver/comparison.hpp"

namespace doall::bench {

// main(). The lanes are the kernels', asked for NAME; doall's takes a schedule after the size, the
// only one then that it takes part under.
int run_stealing_benchmark(const stealing_benchmark& b, int argc, char** argv);

}  // namespace doall::bench
