// The compiler drivers: `doall cc`, `doall c++` and `doall fortran`, and the names under which
// build systems call them.
#pragma once

#include <optional>
#include <string_view>

#include "process/failure.hpp"

namespace doall::cli {

// Each takes the arguments after its name and returns the exit status.
int cc_command(const arguments& args);
int cxx_command(const arguments& args);
int fortran_command(const arguments& args);

// If the command was called as doall-cc, doall-c++ or doall-fortran, becomes the compiler. Else
// returns nothing.
std::optional<int> compile_as(std::string_view program, const arguments& args);

}  // namespace doall::cli
