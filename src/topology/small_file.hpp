// Files of the kernel's, such as those below /proc and /sys, by plain system calls: they
// are read when a program starts, and the first use of iostreams costs more than all
// that is read then.
#pragma once

#include <string>

namespace doall::topology {

// The whole file; "" when it cannot be read.
std::string contents(const std::string& path);

}  // namespace doall::topology
