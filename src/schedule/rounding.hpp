// round=up|down: how schedules that take a part of what is left round it.
#pragma once

#include "schedule/description.hpp"

namespace doall::schedules {

enum rounding : u64 { round_up = 1, round_down };

inline constexpr few<std::string_view, 4> rounding_words = {"up", "down"};

}  // namespace doall::schedules
