// Schedule clauses that name a schedule of doall's, in source that GCC is about to compile.
//
// GCC's front ends refuse a kind that they do not know before any plugin is asked. So each such
// clause is replaced, behind the preprocessor, by schedule(dynamic, N): N says which of the names
// it was, and the plugin knows the names (src/plugin/steer.cpp). All else stays where it is, so
// that line numbers stay, too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace doall::cli {

// The chunk size that stands for the first name; the next one has the next. The plugin has the same
// number (src/plugin/plugin.hpp).
inline constexpr std::uint32_t first_name = 0x64640000;

enum class source_form { c, free_fortran, fixed_fortran };

struct named_source {
  std::string text;  // to be compiled in its place
  // As the grammar has them (schedule/grammar.hpp), or of a wrong one '!', the place and what is
  // wrong, with '|' between: "!FILE|LINE|COLUMN|TEXT". GCC then says so, in the format of its other
  // messages, when it has the plugin's word (src/plugin/wrong_names.cpp).
  std::vector<std::string> names;
};

// Replaces the clauses of preprocessed source. `file` is its name until a line marker says another.
named_source replace_clauses(std::string_view text, source_form form, std::string_view file);

}  // namespace doall::cli
