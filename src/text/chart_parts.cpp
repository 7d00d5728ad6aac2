#include "text/chart_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace doall::cli::svg {

void axis::include(const std::vector<double>& values) {
  for (const double v : values) {
    least_ = std::min(least_, v);
    most_ = std::max(most_, v);
  }
}

double axis::at(double value) const {
  const double way = scale_ == scale::linear
                         ? (value - least_) / std::max(most_ - least_, 1e-9)
                         : std::log(value / least_) / std::log(std::max(most_ / least_, 1.001));
  return from_ + way * (to_ - from_);
}

std::vector<double> axis::ticks(bool fine) const {
  return scale_ == scale::linear ? even_ticks() : power_ticks(fine);
}

std::vector<double> axis::even_ticks() const {
  constexpr double rounding = 1e-6;
  const double range = std::max(most_ - least_, 1e-9);
  const double ten = std::pow(10, std::floor(std::log10(range)));
  const double step = range / ten < 2 ? ten / 5 : range / ten < 5 ? ten / 2 : ten;
  std::vector<double> found;
  const double last = std::floor(most_ / step + rounding);
  for (double k = std::ceil(least_ / step - rounding); k <= last; ++k) found.push_back(k * step);
  return found;
}

std::vector<double> axis::power_ticks(bool fine) const {
  constexpr double rounding = 1.0001;
  std::vector<double> found;
  for (double ten = std::pow(10, std::floor(std::log10(least_))); ten <= most_ * rounding;
       ten *= 10) {
    for (const double t : {ten, 2 * ten, 5 * ten}) {
      if (t != ten && !fine) continue;
      if (t >= least_ / rounding && t <= most_ * rounding) found.push_back(t);
    }
  }
  return found;
}

std::string escaped(const std::string& what) {
  std::string safe;
  for (const char c : what) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else
      safe += c;
  }
  return safe;
}

std::string text(double x, double y, const char* anchor, const std::string& what) {
  return fmt::format(R"svg(<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)svg", x, y,
                     anchor, escaped(what)) +
         '\n';
}

std::string line(double x1, double y1, double x2, double y2, look l, double width) {
  return fmt::format(
             R"svg(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}" stroke-width="{}" stroke-dasharray="{}"/>)svg",
             x1, y1, x2, y2, l.colour, width, l.dashes) +
         '\n';
}

std::string document(double width, double height, double drawn_height, const std::string& title,
                     const std::string& y_label, const std::string& content) {
  std::string svg = fmt::format(
      R"svg(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#ffffff"/>
)svg",
      width, height);
  svg += text(left, 24, "start", title);
  svg += fmt::format(R"svg(<g transform="rotate(-90)">{}</g>)svg",
                     text(-(top + drawn_height / 2), 18, "middle", y_label));
  return svg + content + "</svg>\n";
}

}  // namespace doall::cli::svg
