// Who takes part in the comparison.
#pragma once

#include <string>
#include <vector>

#include "common/contenders.hpp"

namespace doall::bench {

const std::vector<std::string>& runtime_names();

// The one that is not a runtime, and always takes part.
inline constexpr const char* serial_name = "serial";

// Starts the lanes, which stand beside this program's file. Throws lane_error when
// the serial one is missing.
contenders start_contenders(const contest& c);

}  // namespace doall::bench
