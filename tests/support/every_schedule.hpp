// The registry as native schedules, for tests that run loops.
#pragma once

#include <doall/schedule.hpp>

#include <string>
#include <vector>

#include "schedule/registry.hpp"

namespace doall::tests {

// The texts of every schedule of the registry: alone, with as many numbers as it
// takes, and with the last word of each parameter that takes words.
inline std::vector<std::string> every_schedule_text() {
  std::vector<std::string> all;
  for (const auto& entry : schedules::registry()) {
    const std::string name(entry.name);
    std::string with_numbers = name;
    all.push_back(name);
    for (const auto parameters : {entry.parameters, schedules::common_parameters()}) {
      for (const auto& p : parameters) {
        if (p.positional) all.push_back(with_numbers += ",3");
        if (p.words.empty()) continue;
        all.push_back(name + "," + std::string(p.key) + "=" +
                      std::string(p.words[p.words.size() - 1]));
      }
    }
  }
  return all;
}

inline std::vector<schedule> every_schedule() {
  std::vector<schedule> all;
  for (const std::string& text : every_schedule_text()) all.emplace_back(text);
  return all;
}

}  // namespace doall::tests
