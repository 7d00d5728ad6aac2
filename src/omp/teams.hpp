// The teams construct on the host.
#pragma once

#include "omp/team_places.hpp"

namespace doall::omp {

// Runs function(data) for each team of a league, one after the other. 0: as the ICVs say. `bind`:
// how the teams share the places, if threads are bound; none: each has all.
void run_league(void (*function)(void*), void* data, unsigned teams, unsigned thread_limit,
                binding bind = binding::none);

}  // namespace doall::omp
