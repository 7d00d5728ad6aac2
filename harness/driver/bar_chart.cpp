#include "driver/bar_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "driver/report.hpp"
#include "text/chart_parts.hpp"

namespace doall::bench {
namespace {

using namespace cli::svg;
using cli::scale;

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

std::string to_svg(const bar_chart& c) { return bar_drawing(c).to_svg(); }

}  // namespace doall::bench
