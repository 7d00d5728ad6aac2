// The repository's sources as the rules look at them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tidy {

struct literal {
  std::size_t line = 0;  // from 1
  std::string text;      // between the quotes, escapes as written
};

// One file, line by line, in three views of the same length.
struct source {
  std::string path;                      // from the root, with /
  std::vector<std::string> text;         // as it is
  std::vector<std::string> uncommented;  // comments blanked
  std::vector<std::string> code;         // comments and what stands in quotes blanked
  std::vector<literal> literals;         // of strings, in order

  std::string name() const { return std::filesystem::path(path).filename().string(); }
  std::string stem() const { return std::filesystem::path(path).stem().string(); }
  bool is_below(std::string_view folder) const { return path.starts_with(folder); }
  bool is_header() const { return path.ends_with(".hpp") || path.ends_with(".h"); }
  bool is_cpp() const { return is_header() || path.ends_with(".cpp") || path.ends_with(".c"); }
};

// The three views of a text in C or C++.
source read_cpp(std::string path, std::string_view text);

// All that people write in the repository: sources, scripts, build files and
// pages. Build folders, caches and what git keeps are left out. Sorted by path.
std::vector<source> read_tree(const std::filesystem::path& root);

// The file of this path, or null.
const source* find(const std::vector<source>& tree, std::string_view path);

std::string_view trim(std::string_view text);

// Lines joined by line ends again.
std::string join(const std::vector<std::string>& lines);

}  // namespace tidy
