// Sizes that keep two workers' data from sharing a cache line.
#pragma once

#include <cstddef>

namespace doall::base {

// What fits in one transfer between cores on every machine that doall targets.
inline constexpr std::size_t line_bytes = 64;

// How far apart two workers' data must be: x86's spatial prefetcher fetches lines in aligned pairs;
// lines of Arm's cores have 64 bytes, 128 (Apple's) or 256 (A64FX).
#if defined(__aarch64__)
inline constexpr std::size_t apart_bytes = 256;
#else
inline constexpr std::size_t apart_bytes = 128;
#endif

}  // namespace doall::base
