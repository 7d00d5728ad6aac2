// A chart of bars for a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "driver/bar_chart.hpp"

namespace doall::bench {
namespace {

// Bars stand on 1 to the right, or hang from it to the left.
std::string bar_text(double found, double most_log, std::size_t half) {
  const double way = most_log == 0 ? 0 : std::log(found) / most_log * static_cast<double>(half);
  const auto length = static_cast<std::size_t>(std::lround(std::abs(way)));
  const std::string bar(length, '=');
  return found < 1 ? fmt::format("{:>{}}|{:{}}", bar, half, "", half)
                   : fmt::format("{:{}}|{:<{}}", "", half, bar, half);
}

}  // namespace

std::string to_text(const bar_chart& c, std::size_t columns) {
  constexpr std::size_t number_width = 8;
  std::size_t name_width = 0;
  double most_log = 0;
  for (const bar_panel& p : c.panels) {
    for (const ratio_bars& b : p.bars) {
      name_width = std::max(name_width, b.name.size() + 2);
      for (const std::optional<ratio>& one : b.by_group) {
        if (one) most_log = std::max(most_log, std::abs(std::log(one->median)));
      }
    }
  }
  const std::size_t taken = name_width + number_width + 2;
  const std::size_t half = (std::max(columns, taken + 21) - taken - 1) / 2;
  std::string text = fmt::format("{}: {}, | is {}\n", c.title, c.y_label, c.one);
  for (const bar_panel& p : c.panels) {
    if (!p.title.empty()) text += p.title + '\n';
    for (std::size_t g = 0; g < p.groups.size(); ++g) {
      text += p.groups[g] + '\n';
      for (const ratio_bars& b : p.bars) {
        if (const std::optional<ratio>& found = b.by_group[g]) {
          text += fmt::format("  {:{}}{}{:{}.3f}\n", b.name, name_width,
                              bar_text(found->median, most_log, half), found->median, number_width);
        }
      }
    }
  }
  return text;
}

}  // namespace doall::bench
