// Who takes part in the comparisons on a shared machine.
#pragma once

#include <string>
#include <vector>

#include "driver/contenders.hpp"

namespace doall::bench {

const std::vector<std::string>& runtime_names();

// The one that is not a runtime. It always takes part, and is the first.
inline constexpr const char* serial_name = "serial";

// Whether OpenMP's peers take part twice, waiting as they do by default and actively.
enum class peer_waiting { by_default, actively_too };

// Starts the lanes, which stand beside this program's file. Throws lane_error when
// the serial one is missing.
contenders start_contenders(const contest& c, peer_waiting waiting);

}  // namespace doall::bench
