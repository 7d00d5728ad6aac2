#include "cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/env.hpp"
#include "team/settings.hpp"

namespace doall::cli {
namespace {

class help_formatter : public CLI::Formatter {
 public:
  explicit help_formatter(std::string usage) : usage_(std::move(usage)) { column_width(28); }

  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: " + usage_ + "\n";
  }

  // The value's name alone; CLI11 would add defaults and dots.
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_items_expected_max() == 0) return "";
    const std::string& value = option->get_type_name();
    return value.starts_with('[') ? value : " " + value;
  }

 private:
  std::string usage_;
};

// Whether the argument after `arg` belongs to it.
bool takes_next(const CLI::App& app, const std::string& arg) {
  if (arg.find('=') != std::string::npos) return false;
  const CLI::Option* option = app.get_option_no_throw(arg);
  return option != nullptr && option->get_items_expected_min() > 0;
}

// Where the program begins in `args`: CLI11's prefix commands would take an unknown option for the
// program.
std::size_t own_arguments(const CLI::App& app, const arguments& args) {
  std::size_t i = 0;
  while (i < args.size() && args[i] != "--" && args[i].size() > 1 && args[i][0] == '-') {
    i += takes_next(app, args[i]) ? 2 : 1;
  }
  return std::min(i, args.size());
}

}  // namespace

option_parser::option_parser(const std::string& name, const std::string& usage,
                             const std::string& description, const std::string& after)
    : CLI::App(description, "doall " + name) {
  formatter(std::make_shared<help_formatter>(get_name() + " " + usage));
  footer(after);
}

bool option_parser::read(const arguments& args) {
  try {
    parse(arguments(args.rbegin(), args.rend()));
    return true;
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", help());
    return false;
  } catch (const CLI::ParseError& e) {
    throw failure(bad_usage, fmt::format("{}\nTry '{} --help'.", e.what(), get_name()));
  }
}

bool option_parser::read(const arguments& args, arguments& program) {
  const std::size_t own = own_arguments(*this, args);
  const auto split = args.begin() + static_cast<std::ptrdiff_t>(own);
  if (!read(arguments(args.begin(), split))) return false;
  program.assign(split, args.end());
  if (!program.empty() && program.front() == "--") program.erase(program.begin());
  if (program.empty()) {
    throw failure(bad_usage, fmt::format("no program given\nTry '{} --help'.", get_name()));
  }
  return true;
}

std::uint32_t parse_threads(const std::string& text) {
  const auto value = base::parse_number(text, 1, team::most_workers);
  if (!value) {
    throw failure(bad_usage,
                  fmt::format("bad thread count \"{}\", expected a whole number from 1 to {}", text,
                              team::most_workers));
  }
  return static_cast<std::uint32_t>(*value);
}

}  // namespace doall::cli
