// The rules of the pages that people read.
#include <algorithm>

#include "rules.hpp"

namespace tidy {
namespace {

constexpr std::size_t columns_max = 100;

// Characters of a UTF-8 text, each of which takes one column.
std::size_t columns(std::string_view text) {
  const auto begins_one = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_one));
}

// Whether nothing in it can be moved to the next line: it is one word, such as a link, perhaps
// behind the mark of a list.
bool is_one_word(std::string_view text) {
  text = trim(text);
  for (const std::string_view mark : {"- ", "* "}) {
    if (text.starts_with(mark)) text = trim(text.substr(mark.size()));
  }
  return text.find(' ') == std::string_view::npos;
}

}  // namespace

void check_document_width(const tree& files, reporter& report) {
  for (const source& file : files) {
    if (!file.path.ends_with(".md")) continue;
    bool in_block = false;
    bool is_output = false;  // of a program, as it was printed: a block that names no language
    for (std::size_t i = 0; i < file.text.size(); ++i) {
      const std::string_view line = trim(file.text[i]);
      if (line.starts_with("```")) {
        in_block = !in_block;
        is_output = in_block && line == "```";
        continue;
      }
      const std::size_t width = columns(file.text[i]);
      if (width <= columns_max || is_output) continue;
      if (!in_block && (line.starts_with('|') || is_one_word(line))) continue;
      report(file, i + 1,
             std::to_string(width) + " columns, at most " + std::to_string(columns_max) +
                 " but in tables and in blocks that name no language");
    }
  }
}

}  // namespace tidy
