// The table of what statements cost on a machine, which `doall calibrate` writes and the compiler
// drivers read: text, a line NAME CYCLES for each price, '#' begins a comment. A price that is not
// there is the plugin's own.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace doall::cli {

// In the order in which the plugin takes them (src/plugin/plugin.hpp).
struct price_name {
  std::string_view name;
  std::string_view meaning;
  unsigned usual;
};
inline constexpr std::array<price_name, 6> price_names = {
    {{"statement", "arithmetic on registers", 1},
     {"load", "a load or a store, in the caches mostly", 2},
     {"division", "of whole numbers", 12},
     {"call", "of a function of mathematics", 40},
     {"round", "of a loop, besides its statements", 1},
     {"atomic", "an operation on a line that the core has", 8}}};

// Where it is unless somebody names another file: in XDG_CONFIG_HOME, or ~/.config. Nothing: there
// is no home.
std::optional<std::filesystem::path> usual_price_table();

// "1,2,12,40,1,8" from the file. Throws failure when it cannot be read or is no table.
std::string read_price_table(const std::filesystem::path& file);

}  // namespace doall::cli
