// Native reductions by the order in which they combine.
#pragma once

#include <doall/options.hpp>

#include <string>

namespace doall::bench {

// What follows a schedule's name where a loop may combine in any order.
inline constexpr const char* any_order = "/any";

// "SCHEDULE" or "SCHEDULE/any"; the schedule `default` is the one that nobody names.
// Throws std::invalid_argument.
inline loop_options options_from(std::string text) {
  loop_options options;
  if (text.ends_with(any_order)) {
    options.order = reduce_order::any;
    text.resize(text.size() - std::string(any_order).size());
  }
  if (text != "default") options.how = schedule(text);
  return options;
}

}  // namespace doall::bench
