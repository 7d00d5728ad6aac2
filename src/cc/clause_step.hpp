// The step between the preprocessor and the compiler in which schedule clauses that name doall's
// schedules are replaced (clause_replacing.hpp). GCC's driver runs each of its programs through it
// (-wrapper), and runs the preprocessor apart (-no-integrated-cpp).
#pragma once

#include <optional>

#include "process/failure.hpp"

namespace doall::cli {

// The command's argument before the program's own that asks for it.
inline constexpr const char* clause_step = "--clauses";

// What the driver adds to GCC's command line for it; nothing when this command's own path cannot be
// written there.
arguments options_of_clause_step();

// Whether the argument is a source to compile, by how its name ends.
bool is_source(const std::string& arg);

// Whether one of the sources on GCC's command line, or a header of the project's, may name a
// schedule of doall's.
bool needs_clause_step(const arguments& args);

// Becomes the program: a compiler proper gets the source with its clauses replaced.
int run_clause_step(const arguments& command);

}  // namespace doall::cli
