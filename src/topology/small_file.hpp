// Reads the kernel's files, such as those below /proc and /sys, by plain system calls: programs
// read them when they start, and the first use of iostreams costs more than all these reads.
#pragma once

#include <string>

namespace doall::topology {

// The whole file; "" when it cannot be read.
std::string contents(const std::string& path);

}  // namespace doall::topology
