// Text for human readers: aligned tables and short numbers.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace doall::cli {

enum class align { left, right };

// Columns as wide as their widest cell, two blanks apart, on a terminal or in a pipe alike. Cells
// are UTF-8; other bytes and control characters are shown as '?'.
class table {
 public:
  struct column {
    // As in fmt's formats, '>' in front aligns to the right: ">median ns".
    template <std::convertible_to<std::string> Text>
    column(const Text& text) : title(text), side(align::left) {
      if (!title.starts_with('>')) return;
      title.erase(0, 1);
      side = align::right;
    }
    column(std::string text, align where) : title(std::move(text)), side(where) {}

    std::string title;
    align side;
  };

  explicit table(std::vector<column> columns);

  // Takes as many cells as columns.
  void add_row(std::vector<std::string> cells);

  std::string to_text() const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

std::string duration_text(double ns);                          // "12.3 ms"
std::string percent_text(double part);                         // "12.3%"
std::string bytes_text(std::uint64_t bytes);                   // "32 KiB"
std::string list_text(const std::vector<std::string>& items);  // "a, b", or "-"
std::string ranges_text(const std::vector<int>& numbers);      // of 0, 1, 2, 5: "0-2,5"

// Shortens the text to at most `columns`: replaces its middle by "...".
std::string shortened(const std::string& text, std::size_t columns);

}  // namespace doall::cli
