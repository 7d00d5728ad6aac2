// This machine's prices, measured: a machine's file (sim/machine.hpp), which `doall simulate
// --machine=FILE` and `doall advise` read.
#pragma once

#include <string>

namespace doall::cli {

// Takes about a second, on all CPUs that the process may use.
std::string measured_machine();

}  // namespace doall::cli
