// The part in virtual time.
#pragma once

#include "cows/choice.hpp"

namespace doall::bench {

// Throws cli::failure when nothing is chosen, or when a kernel's answer is wrong.
void run_virtual(const cows_choice& asked);

}  // namespace doall::bench
