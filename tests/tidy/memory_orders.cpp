// Every operation weaker than seq_cst, and every fence, stands under a comment
//
//   // (n) order; pairs with (m), (k): what that orders
//   // (n) order; pairs with the sleeper's fence, gate (3): ...    (of src/**/gate.*)
//   // (n) order; alone: why
//
// Numbers are unique in a file; partners exist, and those of the same file name
// the number back; the order is one that the statement uses; a comment without
// its operation is an error too. In src/, but for src/base/sync*.hpp, which defines
// the orders, and in the headers of doall::compat.
#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <set>

#include "rules.hpp"

namespace tidy {
namespace {

// A comment that many lines above a line still covers it.
constexpr std::size_t reach_lines = 3;
constexpr std::string_view fence_order = "seq_cst fence";
constexpr std::string_view expected =
    "\"// (n) order; pairs with (m): why\" or \"// (n) order; alone: why\"";

struct label {
  unsigned number = 0;
  std::size_t line = 0;  // index
  std::string order;
  std::string text;  // after the order, over all its lines
  std::vector<unsigned> partners;
  std::set<std::string> orders_below;  // that the operations under it use
};

bool is_comment(const std::string& line) { return trim(line).starts_with("//"); }

std::vector<label> labels_of(const source& file) {
  static const std::regex start(
      R"(^//\s*\((\d{1,6})\) (relaxed|acquire|release|acq_rel|seq_cst fence|seq_cst); (.*)$)");
  std::vector<label> found;
  bool open = false;  // whether this line may continue the last label
  for (std::size_t i = 0; i < file.text.size(); ++i) {
    if (!is_comment(file.text[i])) {
      open = false;
      continue;
    }
    const std::string comment(trim(file.text[i]));
    std::smatch match;
    if (std::regex_match(comment, match, start)) {
      found.push_back({static_cast<unsigned>(std::stoul(match[1])), i, match[2], match[3], {}, {}});
      open = true;
    } else if (open) {
      found.back().text += ' ' + std::string(trim(comment.substr(2)));
    }
  }
  return found;
}

bool opens_lambda(std::string_view code) {
  static const std::regex lambda(R"(\[[^\]]*\]\s*(\([^)]*\))?[^;{}]*\{$)");
  return std::regex_search(code.begin(), code.end(), lambda);
}

// The last line of the comment that covers line `at`: the nearest one above it
// with nothing between but the beginning of the same statement.
std::optional<std::size_t> comment_over(const source& file, std::size_t at) {
  for (std::size_t up = 1; up <= std::min(reach_lines, at); ++up) {
    const std::size_t i = at - up;
    if (is_comment(file.text[i])) return i;
    const std::string_view code = trim(file.code[i]);
    if (code.empty()) return std::nullopt;
    const char last = code.back();
    if (last == ';' || last == '}' || last == ':') return std::nullopt;
    if (last == '{' && !opens_lambda(code)) return std::nullopt;
  }
  return std::nullopt;
}

std::set<std::string> orders_in(const std::string& code) {
  static const std::regex order(R"(\b(?:sync::|memory_order_)(relaxed|acquire|release|acq_rel)\b)");
  static const std::regex fence(R"(\bsync::(light_|heavy_)?fence\s*\(\s*\))");
  std::set<std::string> found;
  const std::sregex_iterator end;
  for (std::sregex_iterator m(code.begin(), code.end(), order); m != end; ++m) {
    found.insert((*m)[1]);
  }
  if (std::regex_search(code, fence)) found.insert(std::string(fence_order));
  return found;
}

void match_operations(const source& file, std::vector<label>& labels, reporter& report) {
  for (std::size_t i = 0; i < file.code.size(); ++i) {
    const std::set<std::string> orders = orders_in(file.code[i]);
    if (orders.empty()) continue;
    bool labelled = false;
    if (const auto last = comment_over(file, i)) {
      std::size_t first = *last;
      while (first > 0 && is_comment(file.text[first - 1])) --first;
      for (label& l : labels) {
        if (l.line < first || l.line > *last) continue;
        l.orders_below.insert(orders.begin(), orders.end());
        labelled = true;
      }
    }
    if (labelled) continue;
    report(file, i + 1,
           *orders.begin() + " operation without " + std::string(expected) +
               " directly above its statement");
  }
}

bool has_label(const tree& files, const std::string& stem, unsigned number) {
  return std::ranges::any_of(files, [&](const source& file) {
    if (!file.is_below("src/") || !file.is_cpp() || file.stem() != stem) return false;
    return std::ranges::count(labels_of(file), number, &label::number) != 0;
  });
}

// Fills in `l.partners` and checks those of other files.
void read_partners(const source& file, label& l, const tree& files, reporter& report) {
  static const std::regex alone(R"(^alone: \S.*$)");
  static const std::regex pairs(R"(^pairs with ([^:]*)(:.*)?$)");
  static const std::regex partner(R"((\w*)\s*\((\d{1,6})\))");
  if (std::regex_match(l.text, alone)) return;
  std::smatch match;
  const std::string me = "(" + std::to_string(l.number) + ")";
  if (!std::regex_match(l.text, match, pairs)) {
    report(file, l.line + 1, me + " says \"" + l.text + "\", expected " + std::string(expected));
    return;
  }
  const std::string list = match[1];
  const std::sregex_iterator begin(list.begin(), list.end(), partner);
  const std::sregex_iterator end;
  if (begin == end) {
    report(file, l.line + 1, me + " names no partner by its number");
  }
  for (std::sregex_iterator m = begin; m != end; ++m) {
    const std::string word = (*m)[1];
    const auto number = static_cast<unsigned>(std::stoul((*m)[2]));
    if (word.empty() || word == "and" || word == "or") {
      l.partners.push_back(number);
    } else if (!has_label(files, word, number)) {
      report(file, l.line + 1,
             me + " pairs with " + word + " (" + std::to_string(number) + "), but no file " + word +
                 ".* in src/ has that number");
    }
  }
}

void check_partners(const source& file, const std::vector<label>& labels, reporter& report) {
  for (const label& l : labels) {
    const std::string me = "(" + std::to_string(l.number) + ")";
    for (const unsigned number : l.partners) {
      const std::string other = "(" + std::to_string(number) + ")";
      const auto partner = std::ranges::find(labels, number, &label::number);
      if (partner == labels.end()) {
        report(file, l.line + 1, me + " pairs with " + other + ", which this file does not have");
      } else if (std::ranges::count(partner->partners, l.number) == 0) {
        report(file, l.line + 1, me + " pairs with " + other + ", which does not name it back");
      }
    }
  }
}

void check_labels(const source& file, const std::vector<label>& labels, reporter& report) {
  std::map<unsigned, std::size_t> first_line;
  for (const label& l : labels) {
    const std::string me = "(" + std::to_string(l.number) + ")";
    const auto [before, is_new] = first_line.emplace(l.number, l.line + 1);
    if (!is_new) {
      report(file, l.line + 1, me + " is taken already, in line " + std::to_string(before->second));
    }
    // What is seq_cst needs no comment, and so none is looked for.
    if (l.order == "seq_cst" || l.orders_below.contains(l.order)) continue;
    report(file, l.line + 1,
           me + " says " + l.order + ", but the statement below " +
               (l.orders_below.empty() ? "has no such operation" : "uses another order"));
  }
}

}  // namespace

void check_memory_orders(const tree& files, reporter& report) {
  for (const source& file : files) {
    if (!file.is_below("src/") && !file.is_below("include/doall/compat/")) continue;
    if (!file.is_cpp() || file.is_below("src/base/sync")) continue;
    std::vector<label> labels = labels_of(file);
    match_operations(file, labels, report);
    for (label& l : labels) read_partners(file, l, files, report);
    check_labels(file, labels, report);
    check_partners(file, labels, report);
  }
}

}  // namespace tidy
