// Sizes that keep two workers' data from sharing a cache line.
#pragma once

#include <cstddef>

namespace doall::base {

// What one transfer between cores moves on every machine that doall targets.
inline constexpr std::size_t line_bytes = 64;

// What two workers must be apart: x86's spatial prefetcher fetches lines in
// aligned pairs, and some Arm cores have lines of 128 bytes.
inline constexpr std::size_t apart_bytes = 128;

}  // namespace doall::base
