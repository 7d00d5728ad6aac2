#include "source.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <utility>

namespace tidy {
namespace {

namespace fs = std::filesystem;

// Whether the ' at `at` parts digits, as in 1'000, and begins no character.
bool parts_digits(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && (std::isalnum(static_cast<unsigned char>(text[begin - 1])) != 0 ||
                       text[begin - 1] == '\'' || text[begin - 1] == '.')) {
    --begin;
  }
  return begin < at && std::isdigit(static_cast<unsigned char>(text[begin])) != 0;
}

// Walks over a C++ text once and copies it into the views.
class lexer {
 public:
  lexer(source& to, std::string_view text) : to_(to), text_(text) {}

  void run() {
    while (at_ < text_.size()) {
      if (looking_at("//")) {
        while (at_ < text_.size() && text_[at_] != '\n') put(' ', ' ');
      } else if (looking_at("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        const std::size_t after = end == std::string_view::npos ? text_.size() : end + 2;
        while (at_ < after) put(' ', ' ');
      } else if (looking_at("R\"")) {
        raw_string();
      } else if (text_[at_] == '"') {
        quoted('"');
      } else if (text_[at_] == '\'' && !parts_digits(text_, at_)) {
        quoted('\'');
      } else {
        put(text_[at_], text_[at_]);
      }
    }
    if (!line_.empty()) end_line();
  }

 private:
  bool looking_at(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  // Moves on by one character, which shows as given in the two reduced views.
  void put(char uncommented, char code) {
    const char c = text_[at_++];
    if (c == '\n') {
      end_line();
      return;
    }
    line_ += c;
    uncommented_ += uncommented;
    code_ += code;
  }

  void end_line() {
    to_.text.push_back(std::exchange(line_, {}));
    to_.uncommented.push_back(std::exchange(uncommented_, {}));
    to_.code.push_back(std::exchange(code_, {}));
  }

  void note_literal(std::size_t begin, std::size_t end) {
    to_.literals.push_back({to_.text.size() + 1, std::string(text_.substr(begin, end - begin))});
  }

  void quoted(char quote) {
    put(quote, quote);
    std::size_t end = at_;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    end = std::min(end, text_.size());
    if (quote == '"') note_literal(at_, end);
    while (at_ < end) put(text_[at_], ' ');
    if (at_ < text_.size() && text_[at_] == quote) put(quote, quote);
  }

  void raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) {
      put(text_[at_], text_[at_]);
      return;
    }
    const std::string close = ')' + std::string(text_.substr(at_ + 2, open - at_ - 2)) + '"';
    const std::size_t end = std::min(text_.find(close, open), text_.size());
    note_literal(open + 1, end);
    const std::size_t after = std::min(end + close.size(), text_.size());
    while (at_ < after) put(text_[at_], ' ');
  }

  source& to_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::string line_;
  std::string uncommented_;
  std::string code_;
};

bool is_left_out(const std::string& folder) {
  return folder == ".git" || folder == ".cache" || folder == "build" ||
         folder.starts_with("build-");
}

bool is_written_by_people(const fs::path& file) {
  constexpr std::array<std::string_view, 11> endings = {
      ".cpp", ".hpp", ".c", ".h", ".cc", ".cmake", ".sh", ".py", ".md", ".map", ".json"};
  constexpr std::array<std::string_view, 3> names = {"CMakeLists.txt", "Makefile", "run"};
  return std::ranges::find(endings, file.extension().string()) != endings.end() ||
         std::ranges::find(names, file.filename().string()) != names.end();
}

}  // namespace

source read_cpp(std::string path, std::string_view text) {
  source result;
  result.path = std::move(path);
  lexer(result, text).run();
  return result;
}

std::vector<source> read_tree(const fs::path& root) {
  std::vector<source> tree;
  for (fs::recursive_directory_iterator at(root), end; at != end; ++at) {
    if (at->is_directory() && is_left_out(at->path().filename().string())) {
      at.disable_recursion_pending();
    }
    if (!at->is_regular_file() || !is_written_by_people(at->path())) continue;
    std::ifstream in(at->path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    tree.push_back(read_cpp(at->path().lexically_relative(root).generic_string(), text));
  }
  std::ranges::sort(tree, {}, &source::path);
  return tree;
}

const source* find(const std::vector<source>& tree, std::string_view path) {
  const auto found = std::ranges::find(tree, path, &source::path);
  return found == tree.end() ? nullptr : &*found;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  const std::size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::string join(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += line + '\n';
  return all;
}

}  // namespace tidy
