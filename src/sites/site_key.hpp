// The key of a site (site.hpp).
#pragma once

#include <cstdint>

namespace doall::team {

struct site_key {
  const void* code = nullptr;
  const char* file = nullptr;  // null: unknown
  std::uint32_t line = 0;      // likewise 0

  bool operator==(const site_key&) const = default;
};

}  // namespace doall::team
