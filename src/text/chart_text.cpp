// A chart for a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/chart.hpp"
#include "text/chart_parts.hpp"

namespace doall::cli {
namespace {

constexpr std::size_t rows = 16;
constexpr std::size_t label_width = 8;  // of the y axis
constexpr std::size_t columns_least = 20;
constexpr char several = '*';
constexpr char between = '.';

class text_drawing {
 public:
  text_drawing(const chart& c, std::size_t columns)
      : chart_(c),
        columns_(std::max(columns, columns_least + label_width + 2) - label_width - 2),
        x_(c.axes, 0, static_cast<double>(columns_ - 1)),
        y_(c.axes, rows - 1, 0) {
    for (const panel& p : c.panels) {
      for (const curve& one : p.curves) {
        x_.include(one.x);
        y_.include(one.y);
        if (std::ranges::count(names_, one.name) == 0) names_.push_back(one.name);
      }
    }
  }

  std::string to_text() const {
    std::string text =
        fmt::format("{}: {} over {}\n", chart_.title, chart_.y_label, chart_.x_label);
    for (const panel& p : chart_.panels) text += panel_text(p);
    text += legend();
    return text;
  }

 private:
  using canvas_lines = std::vector<std::string>;

  static std::size_t cell(double place) { return static_cast<std::size_t>(std::lround(place)); }

  char letter_of(const std::string& name) const {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const auto place = static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
    return letters[place % letters.size()];
  }

  // Lines below, points above them.
  std::string panel_text(const panel& p) const {
    canvas_lines lines(rows, std::string(columns_, ' '));
    for (const curve& one : p.curves) draw_line(one, lines);
    for (const curve& one : p.curves) {
      for (std::size_t i = 0; i < one.x.size(); ++i) {
        char& at = lines[cell(y_.at(one.y[i]))][cell(x_.at(one.x[i]))];
        const char mine = letter_of(one.name);
        at = at == ' ' || at == between || at == mine ? mine : several;
      }
    }
    std::vector<std::string> labels(rows);
    for (const double t : y_.ticks(true)) labels[cell(y_.at(t))] = fmt::format("{:g}", t);
    std::string text = p.title.empty() ? "" : p.title + '\n';
    for (std::size_t r = 0; r < rows; ++r) {
      std::string& line = lines[r];
      line.erase(line.find_last_not_of(' ') + 1);
      text += fmt::format("{:>{}} |{}\n", labels[r], label_width, line);
    }
    return text + x_axis() + '\n';
  }

  void draw_line(const curve& one, canvas_lines& lines) const {
    for (std::size_t i = 1; i < one.x.size(); ++i) {
      const double from = x_.at(one.x[i - 1]);
      const double to = x_.at(one.x[i]);
      const double low = y_.at(one.y[i - 1]);
      const double high = y_.at(one.y[i]);
      const double steps = std::max({std::abs(to - from), std::abs(high - low), 1.0});
      for (double k = 0; k <= steps; ++k) {
        lines[cell(low + (high - low) * k / steps)][cell(from + (to - from) * k / steps)] = between;
      }
    }
  }

  // The ticks for whose texts there is room.
  std::string x_axis() const {
    std::string line(label_width + 2, ' ');
    for (const double t : x_.enough_ticks()) {
      const std::string label = chart_.x_text(t);
      const std::size_t most = label_width + 2 + columns_ - std::min(label.size(), columns_);
      const std::size_t at = std::min(label_width + 2 + cell(x_.at(t)), most);
      if (line.size() > label_width + 2 && line.size() >= at) continue;
      line.resize(at, ' ');
      line += label;
    }
    return fmt::format("{:>{}} +{}\n{}\n", "", label_width, std::string(columns_, '-'), line);
  }

  std::string legend() const {
    std::string text;
    for (const std::string& name : names_) text += fmt::format("{} {}  ", letter_of(name), name);
    return text + fmt::format("{} several\n", several);
  }

  const chart& chart_;
  std::size_t columns_;
  svg::axis x_;
  svg::axis y_;
  std::vector<std::string> names_;
};

}  // namespace

std::string to_text(const chart& c, std::size_t columns) {
  return text_drawing(c, columns).to_text();
}

}  // namespace doall::cli
