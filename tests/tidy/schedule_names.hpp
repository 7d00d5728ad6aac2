// The schedules' names, read out of the headers in which they describe themselves.
#pragma once

#include <set>
#include <string>

#include "rules.hpp"

namespace tidy {

struct schedule_names {
  std::set<std::string> names;
  std::set<std::string> aliases;

  bool has(const std::string& word) const { return names.contains(word) || aliases.contains(word); }
};

schedule_names read_schedule_names(const tree& files);

// OpenMP's own words for schedules.
const std::set<std::string>& openmp_words();

}  // namespace tidy
