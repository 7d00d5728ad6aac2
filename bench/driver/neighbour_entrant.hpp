// A lane under one of its schedules: what has a row in the tables.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "driver/neighbour_contenders.hpp"

namespace doall::bench {

struct entrant {
  std::string runtime;
  std::string door;
  std::string setting;
  std::string library;
  std::string schedule;
  unsigned threads = 0;
  lane_process* lane = nullptr;
  std::size_t index = 0;  // of the schedule, in the lane
};

// All but the serial one. `present` outlives them.
std::vector<entrant> entrants_of(std::span<const contender> present);

// Who it is; a row's other fields follow.
nlohmann::ordered_json to_json(const entrant& e);

}  // namespace doall::bench
