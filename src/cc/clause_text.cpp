#include "cc/clause_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/env.hpp"
#include "schedule/grammar.hpp"

namespace doall::cli {
namespace {

constexpr std::string_view clause_word = "schedule";
constexpr std::string_view kinds_of_openmp[] = {"static", "dynamic", "guided", "auto", "runtime"};

std::string_view first_word(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_of_word(text[end])) ++end;
  return text.substr(0, end);
}

std::string_view last_word(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_of_word(text[begin - 1])) --begin;
  return text.substr(begin);
}

bool is_kind_of_openmp(std::string_view word) {
  return std::ranges::any_of(kinds_of_openmp,
                             [&](std::string_view kind) { return base::same_word(word, kind); });
}

// Whether a part behind the kind is KEY=VALUE, which no expression of a chunk size is.
bool has_keys(std::string_view inside) {
  for (std::size_t at = inside.find(','); at != npos; at = inside.find(',', at + 1)) {
    const std::string_view part = trim(inside.substr(at + 1));
    const std::string_view key = first_word(part);
    const std::string_view behind = trim(part.substr(key.size()));
    if (!key.empty() && behind.starts_with('=') && !behind.starts_with("==")) return true;
  }
  return false;
}

// "nonmonotonic: guided, 4"
struct modified {
  std::string_view modifiers;  // empty: none
  std::string_view schedule;
};
modified split_modifiers(std::string_view inside) {
  constexpr std::string_view words[] = {"monotonic", "nonmonotonic", "simd"};
  inside = trim(inside);
  const std::size_t colon = inside.find(':');
  const std::string_view word = first_word(inside);
  const bool any = colon != npos && std::ranges::any_of(words, [&](std::string_view modifier) {
                     return base::same_word(word, modifier);
                   });
  if (!any) return {"", inside};
  return {trim(inside.substr(0, colon)), trim(inside.substr(colon + 1))};
}

bool is_of_openmp(std::string_view schedule) {
  const std::string_view kind = first_word(schedule);
  const std::string_view behind = trim(schedule.substr(kind.size()));
  const bool alone = behind.empty() || behind.starts_with(',');  // else as "static-steal"
  return alone && is_kind_of_openmp(kind) && !has_keys(schedule);
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = 0; at + word.size() <= text.size(); ++at) {
    const bool begins = at == 0 || !is_of_word(text[at - 1]);
    const bool ends = at + word.size() == text.size() || !is_of_word(text[at + word.size()]);
    if (begins && ends && base::same_word(text.substr(at, word.size()), word)) return true;
  }
  return false;
}

// Behind the character there, or behind the quoted text that it begins.
std::size_t next_in_clauses(std::string_view text, std::size_t at) {
  const char quote = text[at];
  if ((quote != '"' && quote != '\'') || parts_digits(text, at)) return at + 1;
  if (const std::string ends = end_of_raw_string(text, at); !ends.empty()) {
    const std::size_t end = text.find(ends, at + ends.size());
    return end == npos ? at + 1 : end + ends.size();
  }
  for (std::size_t end = at + 1; end < text.size(); ++end) {
    if (text[end] == quote) return end + 1;
    if (text[end] == '\\') ++end;
  }
  return at + 1;  // no quote
}

// The bracket that closes the one at `open`, or npos.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); at = next_in_clauses(text, at)) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at;
  }
  return npos;
}

// Whether the bracket is that of a metadirective's clause that has another directive.
bool holds_directive(std::string_view text, std::size_t open) {
  const std::string_view before = trim(text.substr(0, open));
  const std::string_view word = last_word(before);
  constexpr std::string_view clauses[] = {"when", "otherwise", "default"};
  const bool any = std::ranges::any_of(
      clauses, [&](std::string_view one) { return base::same_word(word, one); });
  return any && has_word(before, "metadirective");
}

}  // namespace

bool parts_digits(std::string_view text, std::size_t at) {
  if (text[at] != '\'' || at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0)
    return false;
  std::size_t begin = at;
  while (begin > 0 && (is_of_word(text[begin - 1]) || text[begin - 1] == '\'')) --begin;
  return std::isdigit(static_cast<unsigned char>(text[begin])) != 0;
}

std::string end_of_raw_string(std::string_view text, std::size_t at) {
  if (text[at] != '"') return {};
  constexpr std::string_view prefixes[] = {"R", "LR", "uR", "UR", "u8R"};
  if (std::ranges::find(prefixes, last_word(text.substr(0, at))) == std::end(prefixes)) return {};
  const std::size_t open = text.find('(', at);
  if (open == npos) return {};
  return ')' + std::string(text.substr(at + 1, open - at - 1)) + '"';
}

std::optional<clause> find_clause(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at + clause_word.size() < text.size(); at = next_in_clauses(text, at)) {
    if (text[at] == '(' && !holds_directive(text, at)) ++depth;
    if (text[at] == ')' && depth > 0) --depth;
    if (depth > 0 || !base::same_word(text.substr(at, clause_word.size()), clause_word)) continue;
    if (at > 0 && is_of_word(text[at - 1])) continue;
    std::size_t open = at + clause_word.size();
    while (open < text.size() && (is_blank(text[open]) || text[open] == '\n')) ++open;
    if (open == text.size() || text[open] != '(') continue;
    if (const std::size_t close = closing(text, open); close != npos)
      return clause{at, close + 1, text.substr(open + 1, close - open - 1)};
  }
  return {};
}

meaning meaning_of(std::string_view inside) {
  const auto [modifiers, schedule] = split_modifiers(inside);
  if (is_of_openmp(schedule)) return {};
  const schedules::parse_result parsed = schedules::parse(schedule);
  if (!parsed) return {true, "", parsed.error};
  const bool any_order = modifiers.empty() || base::same_word(modifiers, "nonmonotonic");
  const bool in_order =
      base::same_word(modifiers, "monotonic") && parsed.value.has(schedules::monotonic);
  if (any_order || in_order) return {true, schedules::to_text(parsed.value), ""};
  return {true, "",
          fmt::format("the modifier \"{}\" cannot be had with the schedule \"{}\"", modifiers,
                      schedules::to_text(parsed.value))};
}

namespace {

// Whether what stands at `at` may be part of a directive: of a macro's text, or behind the word
// "omp" of the same statement, which a macro may make a pragma of. A line that ends with a
// backslash goes on with the next one.
bool may_be_in_directive(std::string_view text, std::size_t at) {
  std::size_t line = at;
  while (line > 0) {
    const std::size_t end = text.rfind('\n', line - 1);
    line = end == npos ? 0 : end + 1;
    std::size_t last = line;
    while (last > 0 && (text[last - 1] == '\n' || text[last - 1] == '\r')) --last;
    if (line == 0 || last == 0 || text[last - 1] != '\\') break;
    line = last - 1;
  }
  std::string_view before = text.substr(line, at - line);
  if (trim(before).starts_with('#') || has_word(before, "omp")) return true;
  before = text.substr(0, at);
  std::size_t statement = before.find_last_of(";{}#");
  if (statement != npos && before[statement] == '#') statement = before.find('\n', statement);
  return has_word(before.substr(statement == npos ? 0 : statement), "omp");
}

}  // namespace

bool may_name_schedule(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto found =
        std::search(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), clause_word.begin(),
                    clause_word.end(), [](char a, char b) { return (a | 0x20) == b; });
    if (found == text.end()) return false;
    const auto begin = static_cast<std::size_t>(found - text.begin());
    at = begin + clause_word.size();
    if (begin > 0 && is_of_word(text[begin - 1])) continue;
    std::size_t open = at;
    while (open < text.size() && std::string_view(" \t\r\n\\&").find(text[open]) != npos) ++open;
    if (open == text.size() || text[open] != '(') continue;
    const std::size_t close = text.find(')', open);
    const std::string_view inside = text.substr(open + 1, close == npos ? npos : close - open - 1);
    if (!is_of_openmp(split_modifiers(inside).schedule) && may_be_in_directive(text, begin))
      return true;
  }
  return false;
}

}  // namespace doall::cli
