#include "process/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "base/env.hpp"
#include "settings/settings.hpp"

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

option& option::shown_as(const std::string& value) {
  of_->type_name(value);
  return *this;
}

option& option::required() {
  of_->required();
  return *this;
}

option& option::parted_by(char separator) {
  of_->delimiter(separator);
  return *this;
}

option& option::one_each() {
  of_->allow_extra_args(false);
  return *this;
}

option& option::bare(const std::string& value) {
  of_->expected(0, 1)->default_str(value);
  return *this;
}

option& option::by_default(const std::string& value) {
  of_->run_callback_for_default()->default_val(value);
  return *this;
}

// Without the text that CLI11 would add to the value's name in the help.
option& option::one_of(const std::vector<std::string>& values) {
  of_->check(CLI::IsMember(values).description(""));
  return *this;
}

option& option::between(std::uint32_t least, std::uint32_t most) {
  of_->check(CLI::Range(least, most).description(""));
  return *this;
}

option& option::between(double least, double most) {
  of_->check(CLI::Range(least, most).description(""));
  return *this;
}

option& option::excludes(const option& other) {
  of_->excludes(other.of_);
  return *this;
}

option_parser::option_parser(const std::string& name, const std::string& usage,
                             const std::string& description, const std::string& after)
    : app_(std::make_unique<CLI::App>(description, "doall " + name)) {
  app_->formatter(std::make_shared<help_formatter>(app_->get_name() + " " + usage));
  app_->footer(after);
}

option_parser::~option_parser() = default;

template <class T>
option option_parser::add_option(const std::string& name, T& value, const std::string& text) {
  return option(app_->add_option(name, value, text));
}
template option option_parser::add_option(const std::string&, std::string&, const std::string&);
template option option_parser::add_option(const std::string&, double&, const std::string&);
template option option_parser::add_option(const std::string&, std::uint32_t&, const std::string&);
template option option_parser::add_option(const std::string&, std::uint64_t&, const std::string&);
template option option_parser::add_option(const std::string&, std::vector<std::string>&,
                                          const std::string&);
template option option_parser::add_option(const std::string&, std::vector<std::uint32_t>&,
                                          const std::string&);

option option_parser::add_option_function(const std::string& name,
                                          std::function<void(const std::string&)> take,
                                          const std::string& text) {
  return option(app_->add_option_function<std::string>(name, std::move(take), text));
}

option option_parser::add_flag(const std::string& name, bool& value, const std::string& text) {
  return option(app_->add_flag(name, value, text));
}

option option_parser::add_flag_callback(const std::string& name, std::function<void()> take,
                                        const std::string& text) {
  return option(app_->add_flag_callback(name, std::move(take), text));
}

bool option_parser::read(const arguments& args) {
  try {
    app_->parse(arguments(args.rbegin(), args.rend()));
    return true;
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app_->help());
    return false;
  } catch (const CLI::ParseError& e) {
    throw failure(bad_usage, fmt::format("{}\nTry '{} --help'.", e.what(), app_->get_name()));
  }
}

bool option_parser::read(const arguments& args, arguments& program) {
  const std::size_t own = own_arguments(*app_, args);
  const auto split = args.begin() + static_cast<std::ptrdiff_t>(own);
  if (!read(arguments(args.begin(), split))) return false;
  program.assign(split, args.end());
  if (!program.empty() && program.front() == "--") program.erase(program.begin());
  if (program.empty()) {
    throw failure(bad_usage, fmt::format("no program given\nTry '{} --help'.", app_->get_name()));
  }
  return true;
}

bool option_parser::has(const std::string& name) const { return app_->count(name) > 0; }

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
