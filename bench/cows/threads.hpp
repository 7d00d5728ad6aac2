// The part on threads: everybody in turn, round by round.
#pragma once

#include "cows/choice.hpp"

namespace doall::bench {

// Throws cli::failure when nothing is chosen, lane_error when an answer is wrong.
void run_on_threads(const cows_choice& asked);

}  // namespace doall::bench
