// The machine, and how much of it others used while something was measured.
#pragma once

#include <cstdint>
#include <string>

namespace doall::bench {

// "AMD EPYC 9354, Linux 6.1.0"
std::string machine_name();

// CPU time that the whole machine has spent on anything but idling, since its start.
std::uint64_t machine_busy_ns();

}  // namespace doall::bench
