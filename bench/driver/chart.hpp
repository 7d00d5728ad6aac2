// Charts of curves and of bars, as SVG. Their own writer: a library would be larger than what it is
// used for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/statistics.hpp"

namespace doall::bench {

struct curve {
  std::string name;  // curves of one name look alike in all panels
  std::vector<double> x;
  std::vector<double> y;  // as many; all greater than 0 where the axis is logarithmic
  bool is_bound = false;  // drawn grey and dashed
};

struct panel {
  std::string title;
  std::vector<curve> curves;
};

enum class scale { logarithmic, linear };

struct chart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::string (*x_text)(double x);  // of a tick
  scale axes = scale::logarithmic;  // both; the x of a logarithmic one has ticks at powers of ten
  std::vector<panel> panels;        // side by side, on the same axes
};

// An SVG document on a white ground, with one legend for all panels.
std::string to_svg(const chart& c);

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

}  // namespace doall::bench
