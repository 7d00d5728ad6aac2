// The command line of a compiler, as `doall cc` and its like get it: which options are doall's own,
// and whether the rest asks for OpenMP.
#pragma once

#include <optional>
#include <string>

#include "process/failure.hpp"

namespace doall::cli {

struct compiler_line {
  arguments rest;      // for the compiler: all but doall's own options
  arguments plugin;    // for the plugin: NAME or NAME=VALUE
  std::string prices;  // for it, too: numbers with commas between; empty: not given
  bool openmp = false;
  bool explains = false;           // --explain
  bool identifies = false;         // -fdoall-identity
  std::optional<bool> warns = {};  // -Wdoall, -Wno-doall
  std::optional<bool> names = {};  // -fdoall-names, -fno-doall-names
};

// Reads it. Options in a response file (@FILE) count too; such a file is passed on as it is unless
// it has options of doall's own, when its arguments take its place. Throws failure on an unknown
// -fdoall option.
compiler_line read_compiler_line(const arguments& args);

// The arguments with those in response files, and in files that these name, in their places. Throws
// failure when there are more files than GCC takes, as where one names itself.
arguments with_responses(const arguments& args);

// The arguments in a response file's text, as GCC cuts it: at blanks, but for those in quotes or
// behind a backslash.
arguments cut_response(const std::string& text);

}  // namespace doall::cli
