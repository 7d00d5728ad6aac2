#include "text/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cwchar>

namespace doall::cli {
namespace {

// One character as it is shown, and the terminal columns that it fills.
struct glyph {
  std::string bytes;
  std::size_t width;
};

// Needs LC_CTYPE to be a UTF-8 locale, which main() sets.
std::vector<glyph> glyphs_of(std::string_view text) {
  std::vector<glyph> glyphs;
  std::mbstate_t state{};
  while (!text.empty()) {
    wchar_t wide = 0;
    const std::size_t length = std::mbrtowc(&wide, text.data(), text.size(), &state);
    const bool valid = length != 0 && length <= text.size();
    const int width = valid ? wcwidth(wide) : -1;
    const std::size_t taken = valid ? length : 1;
    if (width >= 0) {
      glyphs.push_back({std::string(text.substr(0, taken)), static_cast<std::size_t>(width)});
    } else {
      glyphs.push_back({"?", 1});
      state = {};
    }
    text.remove_prefix(taken);
  }
  return glyphs;
}

glyph joined(const std::vector<glyph>& glyphs) {
  glyph all{"", 0};
  for (const glyph& g : glyphs) {
    all.bytes += g.bytes;
    all.width += g.width;
  }
  return all;
}

}  // namespace

table::table(std::vector<column> columns) : columns_(std::move(columns)) {}

void table::add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

std::string table::to_text() const {
  std::vector<std::vector<glyph>> lines(1);
  for (const column& c : columns_) lines[0].push_back(joined(glyphs_of(c.title)));
  for (const auto& row : rows_) {
    auto& line = lines.emplace_back();
    for (const std::string& cell : row) line.push_back(joined(glyphs_of(cell)));
  }

  std::vector<std::size_t> widths(columns_.size());
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], line[c].width);
  }

  std::string text;
  for (const auto& line : lines) {
    std::string out;
    for (std::size_t c = 0; c < line.size(); ++c) {
      const std::string padding(widths[c] - line[c].width, ' ');
      if (c > 0) out += "  ";
      out += columns_[c].side == align::left ? line[c].bytes + padding : padding + line[c].bytes;
    }
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + '\n';
  }
  return text;
}

std::string duration_text(double ns) {
  if (ns < 1e3) return fmt::format("{:.0f} ns", ns);
  if (ns < 1e6) return fmt::format("{:.3g} us", ns / 1e3);
  if (ns < 1e9) return fmt::format("{:.3g} ms", ns / 1e6);
  return fmt::format("{:.2f} s", ns / 1e9);
}

std::string percent_text(double part) { return fmt::format("{:.1f}%", part * 100); }

std::string bytes_text(std::uint64_t bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  double value = static_cast<double>(bytes);
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit) value /= 1024;
  return fmt::format("{:.4g} {}", value, units[unit]);
}

std::string list_text(const std::vector<std::string>& items) {
  return items.empty() ? "-" : fmt::format("{}", fmt::join(items, ", "));
}

std::string ranges_text(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (last > i) text += "-" + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

std::string shortened(const std::string& text, std::size_t columns) {
  const auto glyphs = glyphs_of(text);
  if (joined(glyphs).width <= columns) return text;
  const auto half = static_cast<std::ptrdiff_t>((columns - 3) / 2);
  return joined({glyphs.begin(), glyphs.begin() + half}).bytes + "..." +
         joined({glyphs.end() - half, glyphs.end()}).bytes;
}

}  // namespace doall::cli
