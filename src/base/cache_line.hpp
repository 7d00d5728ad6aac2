// Sizes that keep two workers' data from sharing a cache line.
#pragma once

#include <cstddef>

namespace doall::base {

// The bytes of one transfer between cores on every machine that doall targets.
inline constexpr std::size_t line_bytes = 64;

// How far apart two workers' data must be: x86's spatial prefetcher fetches lines in aligned pairs,
// and some Arm cores have lines of 128 bytes.
inline constexpr std::size_t apart_bytes = 128;

}  // namespace doall::base
