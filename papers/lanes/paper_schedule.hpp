// The schedules that papers name, through the native door.
#pragma once

#include <doall/doall.hpp>

#include <string>

namespace doall::bench {

// That text's schedule. The papers' dynamic, self-scheduling, is the common counter: by its name
// alone a loop of many chunks would be dealt by stealing.
inline schedule paper_schedule(const std::string& text) {
  return schedule(text.starts_with("dynamic") ? text + ",monotonic" : text);
}

}  // namespace doall::bench
