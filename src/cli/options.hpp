// Parses a subcommand's arguments with CLI11, also for subcommands that start a program.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/command.hpp"

namespace doall::cli {

class option_parser : public CLI::App {
 public:
  // `usage` follows the name on the usage line; `after` ends the help.
  option_parser(const std::string& name, const std::string& usage, const std::string& description,
                const std::string& after = "");

  // Parses the arguments. On --help, prints the help and returns false. Throws failure (bad_usage).
  bool read(const arguments& args);

  // The same for a subcommand that starts a program. The program begins at the first argument that
  // is neither an option nor an option's value, or after "--". Moves it to `program`; throws if it
  // is empty.
  bool read(const arguments& args, arguments& program);
};

// The value of --threads. Throws failure (bad_usage) unless it is a whole number from 1 to the most
// threads that a team can have.
std::uint32_t parse_threads(const std::string& text);

}  // namespace doall::cli
