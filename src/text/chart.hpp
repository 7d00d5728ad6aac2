// Charts of curves, as SVG and for a terminal. Their own writer: a library would be larger than
// what it is used for.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace doall::cli {

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
  scale axes =
      scale::logarithmic;     // both; the x of a long logarithmic one has ticks at powers of ten
  std::vector<panel> panels;  // side by side, on the same axes
};

// An SVG document on a white ground, with one legend for all panels.
std::string to_svg(const chart& c);

// For a terminal, so many columns wide: the panels one under the other, each curve by a letter at
// its points, without colours.
std::string to_text(const chart& c, std::size_t columns = 80);

}  // namespace doall::cli
