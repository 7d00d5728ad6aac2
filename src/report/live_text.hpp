// What `doall top` shows, as text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/live.hpp"

namespace doall::cli {

// The orders of the loops, by the keys that choose them.
struct live_order {
  char key;
  std::string_view name;
};
inline constexpr live_order live_orders[] = {{'t', "time"},       {'c', "calls"},
                                             {'e', "efficiency"}, {'i', "imbalance"},
                                             {'a', "all time"},   {'n', "name"}};

struct live_form {
  char order = 't';
  std::size_t columns = 120;
  std::size_t lines = 0;  // of all; 0: as many as there are loops
  bool has_keys = false;  // a last line names them
};

std::string live_text(const std::vector<const live_process*>& processes, const live_form& form);

}  // namespace doall::cli
