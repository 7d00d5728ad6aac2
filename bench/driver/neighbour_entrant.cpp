#include "driver/neighbour_entrant.hpp"

#include <nlohmann/json.hpp>

namespace doall::bench {

std::vector<entrant> entrants_of(std::span<const contender> present) {
  std::vector<entrant> all;
  for (const contender& c : present) {
    if (c.runtime == serial_name) continue;
    for (std::size_t s = 0; s < c.lane->offers().size(); ++s) {
      all.push_back({.runtime = c.runtime,
                     .door = c.door,
                     .setting = c.setting,
                     .library = c.lane->library(),
                     .schedule = c.lane->offers()[s],
                     .threads = c.lane->threads(),
                     .lane = c.lane.get(),
                     .index = s});
    }
  }
  return all;
}

nlohmann::ordered_json to_json(const entrant& e) {
  return {{"runtime", e.runtime}, {"door", e.door},       {"schedule", e.schedule},
          {"setting", e.setting}, {"threads", e.threads}, {"library", e.library}};
}

}  // namespace doall::bench
