// What charts are drawn of, as SVG: axes, lines and texts.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "text/chart.hpp"

namespace doall::cli::svg {

inline constexpr double left = 64;
inline constexpr double top = 64;
inline constexpr double gap = 36;
inline constexpr double legend_width = 250;
inline constexpr double legend_line = 20;

struct look {
  const char* colour;
  const char* dashes;
};

// Okabe and Ito's colours, which colour-blind readers tell apart; dashed from the
// second time on.
inline constexpr std::array<const char*, 7> colours{"#000000", "#0072b2", "#d55e00", "#009e73",
                                                    "#cc79a7", "#e69f00", "#56b4e9"};
inline constexpr std::array<const char*, 3> dashes{"none", "7 3", "2 3"};
inline constexpr look bound{"#999999", "4 4"};
inline constexpr look grid{"#e4e4e4", "none"};

// From values to places between two ends.
class axis {
 public:
  axis(scale s, double from, double to) : scale_(s), from_(from), to_(to) {}

  void include(const std::vector<double>& values);
  double at(double value) const;

  // Powers of ten, and with `fine` their doubles and fivefolds; of a linear axis round
  // numbers, about five.
  std::vector<double> ticks(bool fine) const;

  // The coarse ones, unless these are fewer than three.
  std::vector<double> enough_ticks() const {
    const std::vector<double> coarse = ticks(false);
    return coarse.size() < 3 ? ticks(true) : coarse;
  }

 private:
  std::vector<double> even_ticks() const;
  std::vector<double> power_ticks(bool fine) const;

  scale scale_;
  double from_;
  double to_;
  double least_ = std::numeric_limits<double>::infinity();
  double most_ = 0;
};

std::string escaped(const std::string& what);
std::string text(double x, double y, const char* anchor, const std::string& what);
std::string line(double x1, double y1, double x2, double y2, look l, double width);

// A whole document. `y_label` stands beside the middle of what is `drawn_height` high.
std::string document(double width, double height, double drawn_height, const std::string& title,
                     const std::string& y_label, const std::string& content);

}  // namespace doall::cli::svg
