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

// A text of each schedule that goes by costs, so that it does.
inline std::vector<std::string> every_costed_text() {
  std::vector<std::string> all;
  for (const auto& entry : schedules::registry()) {
    if (!entry.has(schedules::uses_costs)) continue;
    std::string text(entry.name);
    if (entry.costs_if != schedules::description::always) {
      const schedules::parameter& asks = entry.parameters[entry.costs_if];
      text += "," + std::string(asks.key) + "=" + std::string(asks.words[asks.words.size() - 1]);
    }
    all.push_back(text);
  }
  return all;
}

inline std::vector<schedule> every_schedule() {
  std::vector<schedule> all;
  for (const std::string& text : every_schedule_text()) all.emplace_back(text);
  return all;
}

}  // namespace doall::tests
