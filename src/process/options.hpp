// Parses a subcommand's arguments, also for subcommands that start a program. options.cpp alone
// includes CLI11, which does this: its constants cost every file that includes it two seconds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "process/failure.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace doall::cli {

// An option of a parser. Each call says one thing more of it.
class option {
 public:
  explicit option(CLI::Option* of) : of_(of) {}

  option& shown_as(const std::string& value);  // what the help calls its value
  option& required();
  option& parted_by(char separator);       // one argument has several values
  option& one_each();                      // only the argument after it is its value
  option& bare(const std::string& value);  // may stand without a value, which is this one then
  option& by_default(const std::string& value);  // as if it were given; after parted_by()
  option& one_of(const std::vector<std::string>& values);
  option& between(std::uint32_t least, std::uint32_t most);
  option& between(double least, double most);
  option& excludes(const option& other);

 private:
  CLI::Option* of_;
};

class option_parser {
 public:
  // `usage` follows the name on the usage line; `after` ends the help.
  option_parser(const std::string& name, const std::string& usage, const std::string& description,
                const std::string& after = "");
  ~option_parser();

  // `name`: "--long", "-s,--long", or a word for a positional argument. `value` keeps what it has
  // unless the option is given. T: std::string, double, std::uint32_t, std::uint64_t, or a vector
  // of std::string or std::uint32_t.
  template <class T>
  option add_option(const std::string& name, T& value, const std::string& text);
  // Calls `take` with the value.
  option add_option_function(const std::string& name, std::function<void(const std::string&)> take,
                             const std::string& text);
  option add_flag(const std::string& name, bool& value, const std::string& text);
  option add_flag_callback(const std::string& name, std::function<void()> take,
                           const std::string& text);

  // Parses the arguments. On --help, prints the help and returns false. Throws failure (bad_usage).
  bool read(const arguments& args);

  // The same for a subcommand that starts a program. The program begins at the first argument that
  // is neither an option nor an option's value, or after "--". Moves it to `program`; throws if it
  // is empty.
  bool read(const arguments& args, arguments& program);

  // Whether the arguments that were read have the option.
  bool has(const std::string& name) const;

 private:
  std::unique_ptr<CLI::App> app_;
};

// The value of --threads. Throws failure (bad_usage) unless it is a whole number from 1 to the most
// threads that a team can have.
std::uint32_t parse_threads(const std::string& text);

}  // namespace doall::cli
