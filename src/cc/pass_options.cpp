#include "cc/pass_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace doall::cli {

bool is_of_llvm(std::string_view name) {
  return name.find("clang") != std::string_view::npos || is_flang(name);
}

bool is_flang(std::string_view name) { return name.find("flang") != std::string_view::npos; }

namespace {

// Flang knows fewer options than Clang; but what it hands to its front end it does not miss when it
// only links.
arguments options_for_flang(const std::string& pass, const arguments& asked, bool explains) {
  arguments all{"-fpass-plugin=" + pass};
  if (!asked.empty()) all.insert(all.end(), {"-Xflang", "-load", "-Xflang", pass});
  for (const std::string& option : asked)
    all.insert(all.end(), {"-Xflang", "-mllvm", "-Xflang", option});
  if (explains) all.push_back("-gline-tables-only");
  return all;
}

}  // namespace

arguments options_of_pass(const std::filesystem::path& pass, bool flang, const arguments& plugin,
                          const std::string& prices, bool explains) {
  // The others are about what GCC alone does: its loops need no steering here.
  arguments asked;
  for (const std::string& option : plugin) {
    constexpr std::string_view known[] = {"explain", "steer-static", "no-kept", "no-uniform",
                                          "no-guards"};
    if (std::ranges::find(known, option) != std::end(known)) asked.push_back("-doall-" + option);
    if (option.starts_with("report="))
      fmt::print(
          stderr,
          "doall: \"-fdoall-report\" is GCC's plugin's, and the compiler is LLVM's: no report "
          "is written; --explain prints what is found\n");
  }
  if (!prices.empty()) asked.push_back("-doall-prices=" + prices);
  if (flang) return options_for_flang(pass.string(), asked, explains);
  arguments all{"--start-no-unused-arguments", "-fpass-plugin=" + pass.string()};
  // LLVM reads options before it loads pass plugins, but for those that are loaded as plugins, too.
  if (!asked.empty()) all.push_back("-fplugin=" + pass.string());
  for (const std::string& option : asked) all.insert(all.end(), {"-mllvm", option});
  // For the lines of loops, and the names of what their costs are made of.
  if (explains) all.insert(all.end(), {"-gline-tables-only", "-fno-discard-value-names"});
  all.push_back("--end-no-unused-arguments");
  return all;
}

}  // namespace doall::cli
