// Charts of bars, as SVG and for a terminal.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "driver/statistics.hpp"

namespace doall::bench {

// Bars of one name look alike in all panels.
struct ratio_bars {
  std::string name;
  std::vector<std::optional<ratio>> by_group;  // greater than 0; nothing: no bar
};

struct bar_panel {
  std::string title;
  std::vector<std::string> groups;
  std::vector<ratio_bars> bars;
};

// Ratios: bars stand on 1, or hang from it, on a logarithmic axis. An interval is a whisker.
struct bar_chart {
  std::string title;
  std::string y_label;
  std::string one;                // what has the ratio 1, for the legend
  std::vector<bar_panel> panels;  // one under the other, on the same axis
};

std::string to_svg(const bar_chart& c);

// A line a bar, so many columns wide.
std::string to_text(const bar_chart& c, std::size_t columns = 80);

}  // namespace doall::bench
