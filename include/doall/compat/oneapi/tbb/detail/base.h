// What all headers of doall::compat need: the language, the ABI of libdoall, and the tags of
// oneTBB's splitting constructors.
#ifndef DOALL_COMPAT_BASE_H
#define DOALL_COMPAT_BASE_H

#if __cplusplus < 201703L
#error "doall/compat needs C++17: compile with -std=c++17 or a newer standard"
#elif !defined(__cpp_exceptions)
#error "doall/compat needs exceptions: compile without -fno-exceptions"
#endif

// By its place: -I <prefix>/include/doall/compat is the one path that a program needs.
#include <oneapi/tbb/version.h>
#include "../../../../abi.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

// Names are oneTBB's. Symbols are not: a process may have libtbb, too, from other libraries.
namespace tbb {
inline namespace doall_v0 {

// Tag of a constructor that takes one half of a range, or of a body's work.
class split {};

// The same for a part of a given size: how much the old range keeps, and how much the new one gets.
class proportional_split {
 public:
  proportional_split(std::size_t left = 1, std::size_t right = 1) : left_(left), right_(right) {}
  std::size_t left() const { return left_; }
  std::size_t right() const { return right_; }
  explicit operator split() const { return split(); }

 private:
  std::size_t left_;
  std::size_t right_;
};

// Tag of a constructor that takes what is there already.
struct attach {};

namespace detail {

// Hidden: a visible one would be unique in the process, and no plugin that has it could be
// unloaded.
template <class Loop>
[[gnu::visibility("hidden")]] inline doall_site site_of{};

// floor(a b / c) for a <= c; c is not 0.
inline std::uint64_t share_of(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  __extension__ using wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<wide>(a) * b / c);
}

// How far it is from one number, pointer or iterator to another, and what lies so far behind one.
template <class Value>
std::size_t distance_of(const Value& from, const Value& to) {
  if constexpr (std::is_integral_v<Value>)
    return static_cast<std::size_t>(to) - static_cast<std::size_t>(from);
  else
    return static_cast<std::size_t>(to - from);
}
template <class Value>
Value behind(const Value& from, std::size_t offset) {
  if constexpr (std::is_integral_v<Value>)
    return static_cast<Value>(static_cast<std::size_t>(from) + offset);
  else if constexpr (std::is_convertible_v<decltype(from - from), std::ptrdiff_t>)
    return from + static_cast<decltype(from - from)>(offset);
  else
    return from + offset;
}

}  // namespace detail
}  // namespace doall_v0
}  // namespace tbb

namespace oneapi {
namespace tbb = ::tbb;
}

#endif
