// Lengths of time in the unit of base/clock.hpp.
#pragma once

#include <cstdint>

namespace doall::tests {

inline constexpr std::uint64_t ms = 1'000'000;  // ns

}  // namespace doall::tests
