// The text of OpenMP's schedule clauses: where one is, and whether it names a schedule of doall's.
#pragma once

#include <cctype>
#include <optional>
#include <string>
#include <string_view>

namespace doall::cli {

inline constexpr auto npos = std::string_view::npos;

inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}
inline bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Whether a ' at `at` parts the digits of a number, as in 1'000 and 0xAB'CD; behind other words, as
// in L'a', it begins a character.
bool parts_digits(std::string_view text, std::size_t at);

// What ends the raw string that the " at `at` begins, as )x" does R"x(a)x"; empty: none begins
// there, as at that of NAME_OR"a".
std::string end_of_raw_string(std::string_view text, std::size_t at);

inline std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// A clause within a text: from `begin` up to `end`, and what stands between its brackets.
struct clause {
  std::size_t begin;
  std::size_t end;
  std::string_view inside;
};

// The first clause of a directive from `at` on whose brackets are closed. `at` is in no brackets,
// and in those of another clause the word is one of an expression.
std::optional<clause> find_clause(std::string_view text, std::size_t at);

// Of what stands between a clause's brackets.
struct meaning {
  bool ours = false;  // else the compiler's
  std::string name;   // as the grammar has it; empty: it is wrong
  std::string error;
};
meaning meaning_of(std::string_view inside);

// Whether source that is not preprocessed has a schedule clause that may name one of doall's, or a
// macro that may: anything in place of one of OpenMP's kinds, in a directive or a macro's text, not
// where a function of that name is called. False by mistake only if a macro makes the directive,
// and the word "omp" stands elsewhere.
bool may_name_schedule(std::string_view text);

}  // namespace doall::cli
