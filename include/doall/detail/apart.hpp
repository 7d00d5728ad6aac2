// Keeps two workers' data from sharing a cache line.
#pragma once

#include <cstddef>

namespace doall {
inline namespace v0 {
namespace detail {

// x86's spatial prefetcher fetches lines of 64 bytes in aligned pairs. Arm's cores have lines of up
// to 256 bytes.
#if defined(__aarch64__)
inline constexpr std::size_t apart_bytes = 256;
#else
inline constexpr std::size_t apart_bytes = 128;
#endif

// The alignment of a T that one worker writes beside those of others. Used as the only alignas of a
// type: of two, GCC 12 takes the last in a template.
template <class T>
inline constexpr std::size_t apart = alignof(T) > apart_bytes ? alignof(T) : apart_bytes;

}  // namespace detail
}  // namespace v0
}  // namespace doall
