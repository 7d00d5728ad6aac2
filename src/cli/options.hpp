// Parsing a subcommand's arguments: CLI11, and the rule for subcommands that
// start a program.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/command.hpp"

namespace doall::cli {

class option_parser : public CLI::App {
 public:
  // `usage` is what follows the name on the usage line; `after` ends the help.
  option_parser(const std::string& name, const std::string& usage, const std::string& description,
                const std::string& after = "");

  // False after --help, which it prints. Throws failure (bad_usage).
  bool read(const arguments& args);

  // The same, and everything from the first argument that is neither an option
  // nor an option's value, or that follows "--", goes to `program`, which must
  // not be empty then.
  bool read(const arguments& args, arguments& program);
};

// The value of --threads. Throws failure (bad_usage) unless it is a whole number
// from 1 to the most that a team can have.
std::uint32_t parse_threads(const std::string& text);

}  // namespace doall::cli
