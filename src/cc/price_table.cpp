#include "cc/price_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "process/failure.hpp"

namespace doall::cli {

namespace fs = std::filesystem;

std::optional<fs::path> usual_price_table() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && *config == '/') return fs::path(config) / "doall/prices";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  return fs::path(home) / ".config/doall/prices";
}

std::string read_price_table(const fs::path& file) {
  std::ifstream in(file);
  if (!in) {
    throw failure(failed, fmt::format("cannot read the prices in \"{}\": {}", file.string(),
                                      std::strerror(errno)));
  }
  std::array<unsigned, price_names.size()> found{};
  for (std::size_t i = 0; i < found.size(); ++i) found[i] = price_names[i].usual;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string name;
    std::string cycles;
    std::string more;
    if (!(words >> name)) continue;
    words >> cycles;
    const auto* known = std::ranges::find(price_names, name, &price_name::name);
    unsigned value = 0;
    const auto [end, status] = std::from_chars(cycles.data(), cycles.data() + cycles.size(), value);
    const bool is_number = status == std::errc() && end == cycles.data() + cycles.size();
    if (known == price_names.end() || !is_number || words >> more) {
      throw failure(failed, fmt::format("{}:{}: \"{}\" is no price, expected NAME CYCLES, as "
                                        "\"load 2\"; the names are statement, load, division, "
                                        "call, round and atomic",
                                        file.string(), number, line));
    }
    found[static_cast<std::size_t>(known - price_names.begin())] = value;
  }
  return fmt::format("{}", fmt::join(found, ","));
}

}  // namespace doall::cli
