#include "cli/speed_up_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace doall::cli {
namespace {

constexpr double width = 640;
constexpr double height = 400;
constexpr double margin = 50;
constexpr double names_width = 130;
constexpr double line_height = 14;

constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#e69f00", "#56b4e9", "#000000"};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

// The plane of one chart: from 0 to the most workers and the most speed-up.
struct plane {
  double workers = 1;
  double speed_up = 1;
  double top = 0;

  double x(double p) const { return margin + (width - 2 * margin - names_width) * p / workers; }
  double y(double s) const { return top + height - margin - (height - 2 * margin) * s / speed_up; }
};

plane plane_of(const speed_up_chart& chart, double top) {
  plane made{.top = top};
  for (const speed_up_curve& curve : chart.curves) {
    for (const auto& [p, s] : curve.points) {
      made.workers = std::max(made.workers, static_cast<double>(p));
      made.speed_up = std::max(made.speed_up, s);
    }
  }
  return made;
}

void draw_axes(std::string& svg, const plane& on, const std::string& title) {
  auto out = std::back_inserter(svg);
  fmt::format_to(out, "<text x='{}' y='{}' font-weight='bold'>{}</text>\n", margin,
                 on.top + margin / 2, escaped(title));
  fmt::format_to(out, "<path d='M{} {}V{}H{}' fill='none' stroke='#888'/>\n", on.x(0),
                 on.y(on.speed_up), on.y(0), on.x(on.workers));
  constexpr int ticks = 4;
  for (int i = 0; i <= ticks; ++i) {
    const double p = on.workers * i / ticks;
    const double s = on.speed_up * i / ticks;
    fmt::format_to(out, "<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{:.3g}</text>\n", on.x(p),
                   on.y(0) + line_height, p);
    fmt::format_to(out, "<text x='{:.1f}' y='{:.1f}' text-anchor='end'>{:.3g}</text>\n",
                   on.x(0) - 4, on.y(s) + 4, s);
  }
  fmt::format_to(out, "<text x='{:.1f}' y='{:.1f}'>workers</text>\n", on.x(on.workers / 2),
                 on.y(0) + 2 * line_height);
  const double ideal = std::min(on.workers, on.speed_up);
  fmt::format_to(out,
                 "<path d='M{:.1f} {:.1f}L{:.1f} {:.1f}' stroke='#aaa' stroke-dasharray='4'/>\n",
                 on.x(0), on.y(0), on.x(ideal), on.y(ideal));
}

void draw_curves(std::string& svg, const plane& on, const speed_up_chart& chart) {
  auto out = std::back_inserter(svg);
  // Names stand at their curves' ends, the highest first, none over another.
  std::vector<std::size_t> order(chart.curves.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto end_of = [&](std::size_t i) {
    return chart.curves[i].points.empty() ? 0 : chart.curves[i].points.back().second;
  };
  std::ranges::stable_sort(order, [&](auto a, auto b) { return end_of(a) > end_of(b); });
  double free_y = on.top;
  for (const std::size_t i : order) {
    const char* colour = colours[i % std::size(colours)];
    std::string path;
    for (const auto& [p, s] : chart.curves[i].points) {
      fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', on.x(p),
                     on.y(s));
    }
    fmt::format_to(out, "<path d='{}' fill='none' stroke='{}' stroke-width='2'/>\n", path, colour);
    const double y = std::max(on.y(end_of(i)) + 4, free_y);
    free_y = y + line_height;
    fmt::format_to(out, "<text x='{:.1f}' y='{:.1f}' fill='{}'>{}</text>\n", on.x(on.workers) + 6,
                   y, colour, escaped(chart.curves[i].name));
  }
}

}  // namespace

std::string to_svg(const std::vector<speed_up_chart>& charts) {
  // A chart of many curves is as high as their names.
  std::vector<double> tops{0};
  for (const speed_up_chart& chart : charts) {
    const double names = line_height * static_cast<double>(chart.curves.size()) + 2 * margin;
    tops.push_back(tops.back() + std::max(height, names));
  }
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {} {}' font-family='sans-serif' "
      "font-size='11'>\n<rect width='100%' height='100%' fill='#fff'/>\n",
      width, tops.back());
  for (std::size_t i = 0; i < charts.size(); ++i) {
    const plane on = plane_of(charts[i], tops[i]);
    draw_axes(svg, on, charts[i].title);
    draw_curves(svg, on, charts[i]);
  }
  return svg + "</svg>\n";
}

}  // namespace doall::cli
