// Who takes part in the comparison.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "common/contenders.hpp"

namespace doall::bench {

const std::vector<std::string>& runtime_names();

// Starts the lanes, which stand beside this program's file.
contenders start_contenders(const contest& c);

// The setting of a contender that is there to compare fine-grain's ways to release and join
// a team, not runtimes, is one of these.
inline constexpr std::array barrier_variants{"DOALL_BARRIER=auto", "DOALL_BARRIER=centralized",
                                             "DOALL_BARRIER=tree", "DOALL_BARRIER=full"};
inline constexpr const char* full_barrier = barrier_variants.back();
bool is_barrier_variant(const std::string& setting);

// The OpenMP schedule that divides the loop likewise, its own name for most;
// "" for a schedule that OpenMP has not.
std::string counterpart(const std::string& schedule);

}  // namespace doall::bench
