// The teams construct on the host.
#pragma once

namespace doall::omp {

// Runs function(data) for each team of a league, one after the other. 0: as the ICVs say.
void run_league(void (*function)(void*), void* data, unsigned teams, unsigned thread_limit);

}  // namespace doall::omp
