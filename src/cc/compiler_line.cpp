#include "cc/compiler_line.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>

#include "cc/price_table.hpp"

namespace doall::cli {
namespace {

struct own_option {
  std::string_view given;
  std::string_view plugin;  // the plugin's name for it
  bool for_no = false;      // that is said when it is taken back
};
constexpr own_option own_options[] = {
    {"-fdoall-static", "steer-static"},
    {"-fdoall-nowait", "steer-nowait"},
    {"-fdoall-runtime", "no-cost-runtime", true},
    {"-Wdoall", "warn"},
    {"--explain", "explain"},
    {"-fdoall-names", ""},  // the driver's alone
    {"-fdoall-identity", ""},
    {"-fdoall-kept", "no-kept", true},
    {"-fdoall-uniform", "no-uniform", true},
    {"-fdoall-guards", "no-guards", true},
};

// Options with a value; the plugin's names are behind "-fdoall-".
constexpr std::string_view own_values[] = {"-fdoall-report=", "-fdoall-prices="};

bool is_own(std::string_view arg) {
  return arg.starts_with("-fdoall") || arg.starts_with("-fno-doall") || arg == "-Wdoall" ||
         arg == "-Wno-doall" || arg == "--explain";
}

// One to six whole numbers with commas between.
bool are_prices(std::string_view text) {
  constexpr int most = 6;
  int numbers = 0;
  for (const char *at = text.data(), *end = at + text.size(); numbers < most;) {
    unsigned price = 0;
    const auto [after, error] = std::from_chars(at, end, price);
    if (error != std::errc()) return false;
    ++numbers;
    if (after == end) return true;
    if (*after != ',') return false;
    at = after + 1;
  }
  return false;
}

bool is_file(std::string_view name) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(name, ignored);
}

// Throws failure.
void check_value(std::string_view arg, std::string_view option) {
  const std::string_view value = arg.substr(option.size());
  if (option == "-fdoall-prices=" && !are_prices(value) && !is_file(value)) {
    throw failure(failed,
                  fmt::format("bad prices \"{}\", expected one to six numbers of cycles, as "
                              "-fdoall-prices=1,2,12,40,1,8, or a table's file; nothing was "
                              "compiled",
                              arg));
  }
  if (value.empty())
    throw failure(failed, fmt::format("no file in \"{}\", expected {}FILE; nothing was compiled",
                                      arg, option));
}

std::string expected_options() {
  std::string all;
  for (const own_option& o : own_options) {
    all += o.given;
    all += ", ";
  }
  for (const std::string_view value : own_values) {
    all += std::string(value) + "...";
    if (value != std::end(own_values)[-1]) all += ", ";
  }
  return all;
}

// "-fno-doall-static" takes back "-fdoall-static".
std::string positive_of(std::string_view arg) {
  for (const std::string_view no : {"-fno-", "-Wno-"}) {
    if (arg.starts_with(no)) return std::string(arg.substr(0, 2)).append(arg.substr(no.size()));
  }
  return std::string(arg);
}

void take_own(compiler_line& line, const std::string& arg) {
  for (const std::string_view value : own_values) {
    if (!arg.starts_with(value)) continue;
    check_value(arg, value);
    if (value == "-fdoall-prices=") {
      const std::string prices = arg.substr(value.size());
      line.prices = are_prices(prices) ? prices : read_price_table(prices);
      return;
    }
    line.plugin.push_back(arg.substr(std::string_view("-fdoall-").size()));
    return;
  }
  const std::string positive = positive_of(arg);
  for (const own_option& o : own_options) {
    if (o.given != positive) continue;
    if (o.given == "-fdoall-names") line.names = positive == arg;
    if (o.given == "-fdoall-identity") line.identifies = positive == arg;
    if (o.plugin.empty()) return;
    std::erase(line.plugin, o.plugin);
    if ((positive == arg) != o.for_no) line.plugin.emplace_back(o.plugin);
    if (o.given == "-Wdoall") line.warns = positive == arg;
    if (o.given == "--explain") line.explains = true;
    return;
  }
  throw failure(failed,
                fmt::format("unknown option \"{}\", expected one of {}", arg, expected_options()));
}

std::optional<std::string> response_text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return {};
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// Reads one argument of the compiler's.
void look_at(compiler_line& line, std::string_view arg) {
  if (arg == "-fopenmp" || arg == "-fopenmp=libomp") line.openmp = true;
  if (arg == "-fno-openmp") line.openmp = false;
}

// A response file may name others, or itself. GCC takes fewer than this on a command line.
constexpr int most_responses = 2000;

// What a response file stands for, with the files that it names; `count`: of all. Throws failure.
void collect(arguments& into, const arguments& args, int& count) {
  for (const std::string& arg : args) {
    const bool names_file = arg.size() > 1 && arg[0] == '@';
    if (names_file && ++count >= most_responses)
      throw failure(failed,
                    fmt::format("response file \"{}\" is number {}, expected fewer: does one name "
                                "itself? Nothing was compiled",
                                arg, count));
    const auto text = names_file ? response_text_of(arg.substr(1)) : std::nullopt;
    if (text)
      collect(into, cut_response(*text), count);
    else
      into.push_back(arg);
  }
}

bool has_own(const arguments& args) {
  for (const std::string& arg : args) {
    if (is_own(arg)) return true;
  }
  return false;
}

void read(compiler_line& line, const arguments& args) {
  for (const std::string& arg : args) {
    if (is_own(arg)) {
      take_own(line, arg);
      continue;
    }
    look_at(line, arg);
    line.rest.push_back(arg);
  }
}

}  // namespace

arguments cut_response(const std::string& text) {
  arguments all;
  std::string current;
  bool inside = false;  // of an argument
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
    if (c == '\\' && i + 1 < text.size()) {
      current += text[++i];
      inside = true;
    } else if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        current += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      inside = true;
    } else if (!blank) {
      current += c;
      inside = true;
    } else if (inside) {
      all.push_back(std::move(current));
      current.clear();
      inside = false;
    }
  }
  if (inside) all.push_back(current);
  return all;
}

arguments with_responses(const arguments& args) {
  arguments all;
  int count = 0;
  collect(all, args, count);
  return all;
}

compiler_line read_compiler_line(const arguments& args) {
  compiler_line line;
  for (const std::string& arg : args) {
    if (arg.size() > 1 && arg[0] == '@') {
      const arguments inside = with_responses({arg});
      if (has_own(inside)) {
        read(line, inside);
        continue;
      }
      for (const std::string& one : inside) look_at(line, one);
      line.rest.push_back(arg);
      continue;
    }
    read(line, {arg});
  }
  return line;
}

}  // namespace doall::cli
