#include "driver/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "driver/report.hpp"

namespace doall::bench {
namespace {

constexpr double panel_width = 440;
constexpr double panel_height = 340;
constexpr double left = 64;
constexpr double top = 64;
constexpr double gap = 36;
constexpr double below = 60;
constexpr double legend_width = 250;
constexpr double legend_line = 20;

struct look {
  const char* colour;
  const char* dashes;
};

// Okabe and Ito's colours, which colour-blind readers tell apart; dashed from the
// second time on.
constexpr std::array<const char*, 7> colours{"#000000", "#0072b2", "#d55e00", "#009e73",
                                             "#cc79a7", "#e69f00", "#56b4e9"};
constexpr std::array<const char*, 3> dashes{"none", "7 3", "2 3"};
constexpr look bound{"#999999", "4 4"};
constexpr look grid{"#e4e4e4", "none"};

// From values to places between two ends.
class axis {
 public:
  axis(scale s, double from, double to) : scale_(s), from_(from), to_(to) {}

  void include(const std::vector<double>& values) {
    for (const double v : values) {
      least_ = std::min(least_, v);
      most_ = std::max(most_, v);
    }
  }

  double at(double value) const {
    const double way = scale_ == scale::linear
                           ? (value - least_) / std::max(most_ - least_, 1e-9)
                           : std::log(value / least_) / std::log(std::max(most_ / least_, 1.001));
    return from_ + way * (to_ - from_);
  }

  // Powers of ten, and with `fine` their doubles and fivefolds; of a linear axis round
  // numbers, about five.
  std::vector<double> ticks(bool fine) const {
    return scale_ == scale::linear ? even_ticks() : power_ticks(fine);
  }

 private:
  std::vector<double> even_ticks() const {
    constexpr double rounding = 1e-6;
    const double range = std::max(most_ - least_, 1e-9);
    const double ten = std::pow(10, std::floor(std::log10(range)));
    const double step = range / ten < 2 ? ten / 5 : range / ten < 5 ? ten / 2 : ten;
    std::vector<double> found;
    const double last = std::floor(most_ / step + rounding);
    for (double k = std::ceil(least_ / step - rounding); k <= last; ++k) found.push_back(k * step);
    return found;
  }

  std::vector<double> power_ticks(bool fine) const {
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

  scale scale_;
  double from_;
  double to_;
  double least_ = std::numeric_limits<double>::infinity();
  double most_ = 0;
};

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

// A whole document. `y_label` stands beside the middle of what is `drawn_height` high.
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
    for (const double t : x_.ticks(false)) {
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

class bar_drawing {
 public:
  explicit bar_drawing(const bar_chart& c) : chart_(c), y_(scale::logarithmic, bars_height, 0) {
    y_.include({0.5, 2});  // equal bars do not fill the panel
    for (const bar_panel& p : c.panels) {
      for (const ratio_bars& b : p.bars) {
        include(b);
        if (std::ranges::count(names_, b.name) == 0) names_.push_back(b.name);
      }
    }
  }

  std::string to_svg() const {
    const double drawn = static_cast<double>(chart_.panels.size()) * (bars_height + between);
    const double legend = static_cast<double>(names_.size() + 1) * legend_line;
    std::string content;
    for (std::size_t p = 0; p < chart_.panels.size(); ++p) content += panel_svg(p);
    content += legend_svg(left + bars_width + gap);
    return document(left + bars_width + gap + legend_width, top + std::max(drawn, legend), drawn,
                    chart_.title, chart_.y_label, content);
  }

 private:
  static constexpr double bars_width = 900;
  static constexpr double bars_height = 180;
  static constexpr double between = 64;

  void include(const ratio_bars& b) {
    for (const std::optional<ratio>& one : b.by_group) {
      if (!one) continue;
      y_.include({one->median});
      if (one->interval) y_.include({one->interval->low, one->interval->high});
    }
  }

  std::string panel_svg(std::size_t p) const {
    const bar_panel& drawn = chart_.panels[p];
    std::string svg = fmt::format(R"svg(<g transform="translate({:.1f} {:.1f})">)svg", left,
                                  top + static_cast<double>(p) * (bars_height + between)) +
                      '\n';
    svg += text(0, -8, "start", drawn.title);
    for (const double t : y_.ticks(true)) {
      svg += line(0, y_.at(t), bars_width, y_.at(t), grid, 1);
      svg += text(-6, y_.at(t) + 4, "end", fmt::format("{:g}", t));
    }
    const double group_width =
        bars_width / static_cast<double>(std::max<std::size_t>(1, drawn.groups.size()));
    for (std::size_t g = 0; g < drawn.groups.size(); ++g) {
      const double from = static_cast<double>(g) * group_width;
      svg += text(from + group_width / 2, bars_height + 18, "middle", drawn.groups[g]);
      svg += group_svg(drawn, g, from, group_width);
    }
    svg += line(0, y_.at(1), bars_width, y_.at(1), bound, 1);
    return svg + "</g>\n";
  }

  std::string group_svg(const bar_panel& drawn, std::size_t group, double from,
                        double width) const {
    constexpr double filled = 0.84;
    const double bar_width = filled * width / static_cast<double>(drawn.bars.size());
    double x = from + (1 - filled) / 2 * width;
    std::string svg;
    for (const ratio_bars& b : drawn.bars) {
      if (const std::optional<ratio>& found = b.by_group[group]) {
        const std::string what =
            fmt::format("{}, {}: {}", b.name, drawn.groups[group], ratio_text(*found));
        svg += bar_svg(x, bar_width * filled, *found, b.name, what);
      }
      x += bar_width;
    }
    return svg;
  }

  // `what` is shown where the mouse is.
  std::string bar_svg(double x, double width, const ratio& found, const std::string& name,
                      const std::string& what) const {
    constexpr look whisker{"#444444", "none"};
    const double one = y_.at(1);
    const double end = y_.at(found.median);
    std::string svg = rect_svg(x, std::min(one, end), width, std::abs(one - end), name, what);
    if (!found.interval) return svg;
    const double middle = x + width / 2;
    return svg + line(middle, y_.at(found.interval->low), middle, y_.at(found.interval->high),
                      whisker, 1);
  }

  // A colour that comes a second time is paler.
  std::string rect_svg(double x, double y, double width, double height, const std::string& name,
                       const std::string& what) const {
    constexpr std::array<double, 3> opacities{1, 0.5, 0.25};
    const auto place = static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
    return fmt::format(
               R"svg(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}" fill-opacity="{}"><title>{}</title></rect>)svg",
               x, y, width, height, colours[place % colours.size()],
               opacities[place / colours.size() % opacities.size()], escaped(what)) +
           '\n';
  }

  std::string legend_svg(double from) const {
    double y = top + 8;
    std::string svg = line(from, y - 4, from + 28, y - 4, bound, 2);
    svg += text(from + 36, y, "start", chart_.one);
    for (const std::string& name : names_) {
      y += legend_line;
      svg += rect_svg(from, y - 10, 28, 12, name, name);
      svg += text(from + 36, y, "start", name);
    }
    return svg;
  }

  const bar_chart& chart_;
  axis y_;
  std::vector<std::string> names_;
};

}  // namespace

std::string to_svg(const chart& c) { return drawing(c).to_svg(); }

std::string to_svg(const bar_chart& c) { return bar_drawing(c).to_svg(); }

}  // namespace doall::bench
