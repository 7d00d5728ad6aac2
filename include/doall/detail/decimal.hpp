// A number in a message. std::to_string() has a table that is unique in the process (libstdc++ 12),
// and no plugin that has it can be unloaded.
#pragma once

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>

namespace doall {
inline namespace v0 {
namespace detail {

inline std::string decimal(std::uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "%" PRIu64, number);
  return text;
}
inline std::string decimal(std::int64_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "%" PRId64, number);
  return text;
}

}  // namespace detail
}  // namespace v0
}  // namespace doall
