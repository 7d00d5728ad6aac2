// SPDX-License-Identifier: GPL-3.0-or-later
// Schedules in the source that do not exist: the errors.
//
// The driver has found them, between the preprocessor and GCC (src/cc/clause_replacing.hpp), and
// put a schedule in their place that GCC takes. They are said here, once, so that they come in the
// format of GCC's other messages: when all else has been said, for GCC has no place for a plugin's
// word while it reads a pragma.
#include "plugin.hpp"

#include "diagnostic-core.h"
#include "input.h"

#include <algorithm>
#include <cstdlib>

namespace doall::plugin {
namespace {

// What stands up to the next '|', which is taken off.
std::string cut(std::string& text) {
  const size_t end = text.find('|');
  const std::string part = text.substr(0, end);
  text.erase(0, end == std::string::npos ? end : end + 1);
  return part;
}

location_t place_of(const std::string& file, unsigned line, unsigned column) {
  linemap_add(line_table, LC_ENTER, 0, xstrdup(file.c_str()), line);
  linemap_line_start(line_table, line, column + 1);
  const location_t place = linemap_position_for_column(line_table, column);
  linemap_add(line_table, LC_LEAVE, 0, nullptr, 0);
  return place;
}

void say_wrong_names(void*, void*) {
  if (in_lto_p) return;
  for (std::string text : asked.names) {
    if (!is_wrong_name(text.c_str())) continue;
    text.erase(0, 1);
    std::replace(text.begin(), text.end(), '\1', '=');
    const std::string file = cut(text);
    const auto line = static_cast<unsigned>(std::strtoul(cut(text).c_str(), nullptr, 10));
    const auto column = static_cast<unsigned>(std::strtoul(cut(text).c_str(), nullptr, 10));
    error_at(place_of(file, line, column), "%s", text.c_str());
  }
}

}  // namespace

void register_wrong_names(const char* plugin) {
  register_callback(plugin, PLUGIN_FINISH, say_wrong_names, nullptr);
}

}  // namespace doall::plugin
