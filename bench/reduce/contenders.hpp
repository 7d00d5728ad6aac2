// Who takes part in the comparison.
#pragma once

#include <string>
#include <vector>

#include "common/contenders.hpp"

namespace doall::bench {

const std::vector<std::string>& runtime_names();

// Starts the lanes, which stand beside this program's file.
contenders start_contenders(const contest& c);

}  // namespace doall::bench
