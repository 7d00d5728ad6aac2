// AFS's COMPUTE: work without memory.
#pragma once

#include <cstdint>

namespace doall::bench {

// A unit is one step of xorshift64 (Marsaglia, 2003): six instructions of which each
// needs the one before, some 1.5 ns. Units of one iteration cannot overlap; those of
// neighbouring iterations can, when an iteration has few. `value` is not 0, and then
// neither is the result.
inline std::uint64_t compute(std::uint64_t units, std::uint64_t value) {
  for (; units > 0; --units) {
    value ^= value << 13;
    value ^= value >> 7;
    value ^= value << 17;
  }
  return value;
}

}  // namespace doall::bench
