#include "text/chart.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text/chart_parts.hpp"

namespace doall::cli {
namespace {

using namespace svg;

constexpr double panel_width = 440;
constexpr double panel_height = 340;
constexpr double below = 60;

class drawing {
 public:
  explicit drawing(const chart& c)
      : chart_(c), x_(c.axes, 0, panel_width), y_(c.axes, panel_height, 0) {
    for (const panel& p : c.panels) {
      for (const curve& one : p.curves) {
        x_.include(one.x);
        y_.include(one.y);
        const bool known = std::ranges::count(names_, one.name, &named::name) != 0;
        if (!known) names_.push_back({one.name, one.is_bound});
      }
    }
  }

  std::string to_svg() const {
    const auto panels = static_cast<double>(chart_.panels.size());
    const double legend_left = left + panels * (panel_width + gap);
    const double width = legend_left + legend_width;
    const double height = std::max(top + panel_height + below,
                                   top + static_cast<double>(names_.size()) * legend_line);
    std::string content;
    for (std::size_t p = 0; p < chart_.panels.size(); ++p) content += panel_svg(p);
    content += legend_svg(legend_left);
    return document(width, height, panel_height, chart_.title, chart_.y_label, content);
  }

 private:
  struct named {
    std::string name;
    bool is_bound;
  };

  look look_of(const std::string& name) const {
    std::size_t place = 0;
    for (const named& n : names_) {
      if (n.name == name && n.is_bound) return bound;
      if (n.name == name) break;
      if (!n.is_bound) ++place;
    }
    return {colours[place % colours.size()], dashes[place / colours.size() % dashes.size()]};
  }

  std::string panel_svg(std::size_t p) const {
    const panel& drawn = chart_.panels[p];
    std::string svg = fmt::format(R"svg(<g transform="translate({:.1f} {:.1f})">)svg",
                                  left + static_cast<double>(p) * (panel_width + gap), top) +
                      '\n';
    svg += text(panel_width / 2, -10, "middle", drawn.title);
    for (const double t : x_.enough_ticks()) {
      svg += line(x_.at(t), 0, x_.at(t), panel_height, grid, 1);
      svg += text(x_.at(t), panel_height + 18, "middle", chart_.x_text(t));
    }
    for (const double t : y_.ticks(true)) {
      svg += line(0, y_.at(t), panel_width, y_.at(t), grid, 1);
      if (p == 0) svg += text(-6, y_.at(t) + 4, "end", fmt::format("{:g}", t));
    }
    for (const curve& one : drawn.curves) svg += curve_svg(one);
    svg += text(panel_width / 2, panel_height + 42, "middle", chart_.x_label);
    return svg + "</g>\n";
  }

  std::string curve_svg(const curve& one) const {
    const look l = look_of(one.name);
    std::string places;
    for (std::size_t i = 0; i < one.x.size(); ++i) {
      places += fmt::format("{:.1f},{:.1f} ", x_.at(one.x[i]), y_.at(one.y[i]));
    }
    return fmt::format(
               R"svg(<polyline points="{}" fill="none" stroke="{}" stroke-width="1.6" stroke-dasharray="{}"/>)svg",
               places, l.colour, l.dashes) +
           '\n';
  }

  std::string legend_svg(double from) const {
    std::string svg;
    double y = top + 8;
    for (const named& n : names_) {
      svg += line(from, y - 4, from + 28, y - 4, look_of(n.name), 2);
      svg += text(from + 36, y, "start", n.name);
      y += legend_line;
    }
    return svg;
  }

  const chart& chart_;
  axis x_;
  axis y_;
  std::vector<named> names_;
};

}  // namespace

std::string to_svg(const chart& c) { return drawing(c).to_svg(); }

}  // namespace doall::cli
