// The affinity-format-var, and the expansion of a format.
#pragma once

#include <string>
#include <string_view>

#include "omp/state.hpp"

namespace doall::omp {

std::string affinity_format();
void set_affinity_format(std::string_view format);

// Fields are %[[0].][width]type: a dot justifies to the right, a zero before it fills numbers with
// zeros. Type is one letter or a name in braces:
//   t team_num   T num_teams   L nesting_level   n thread_num   N num_threads
//   a ancestor_tnum   H host   P process_id   i native_thread_id   A thread_affinity
// %% is a percent sign. All other text stays as it is. An empty format is the affinity-format-var.
std::string expand_affinity_format(std::string_view format);

// Under OMP_DISPLAY_AFFINITY: prints the affinity-format-var's expansion for the calling thread,
// unless that is what it printed last. Called when it begins its part of a region.
void show_affinity();

// Prints it and a newline on standard error.
void display_affinity(std::string_view format);

}  // namespace doall::omp
