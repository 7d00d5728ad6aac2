// Keeps two workers' data from sharing a cache line.
#pragma once

#include <cstddef>

namespace doall {
inline namespace v0 {
namespace detail {

// The alignment of a T that one worker writes beside those of others. x86's spatial prefetcher
// fetches lines of 64 bytes in aligned pairs. Used as the only alignas of a type: of two, GCC 12
// takes the last in a template.
template <class T>
inline constexpr std::size_t apart = alignof(T) > 128 ? alignof(T) : 128;

}  // namespace detail
}  // namespace v0
}  // namespace doall
