// What Clang and flang are given for doall's pass plugin (src/plugin/llvm).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "process/failure.hpp"

namespace doall::cli {

// Whether the compiler is one of LLVM's, by its file's name or what it says of itself.
bool is_of_llvm(std::string_view name);
bool is_flang(std::string_view name);

// The options that load it and that it is asked by: `plugin` as compiler_line has them, `prices` as
// numbers with commas between, or nothing.
arguments options_of_pass(const std::filesystem::path& pass, bool flang, const arguments& plugin,
                          const std::string& prices, bool explains);

}  // namespace doall::cli
