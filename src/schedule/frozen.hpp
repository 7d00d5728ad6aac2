// The option `frozen`, of the schedules by which loops run that name none: what was chosen for a
// loop by measurements stays.
#pragma once

#include "schedule/schedule.hpp"

namespace doall::schedules {

// What becomes of a choice once it is made.
enum once_made : u64 { moves = 1, stays_put };
inline constexpr bool stays(u64 option) { return option == stays_put; }
inline constexpr parameter frozen_option = {
    .key = "frozen",
    .meaning = "no, or yes: what was chosen by measurements stays",
    .words = {"no", "yes"},
    .default_word = "no",
    .alone = true};

}  // namespace doall::schedules
