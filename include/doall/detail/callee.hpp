// How a loop's workers call what its caller gave them.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace doall {
inline namespace v0 {
namespace detail {

inline constexpr std::size_t most_bytes_copied = 64;  // a cache line

// Whether a copy of a function that is called with one of these is as good as itself: calls do not
// change it, and it is copied as bytes are. The standard's algorithms copy any function
// ([algorithms.requirements]). Of the arguments, none is tried that comes after one that fits: a
// generic body may not compile with it.
template <class Function, class... Argument>
concept copied = std::is_object_v<Function> && std::is_trivially_copyable_v<Function> &&
                 std::copy_constructible<Function> && sizeof(Function) <= most_bytes_copied &&
                 std::disjunction_v<std::is_invocable<const Function&, Argument>...>;

// The caller's function, itself or a copy, as a part of a loop's piece. A piece has a copy of its
// own of all that it can copy (own_copy), and so what a body captured is in registers: in memory
// that others can reach it is read anew after every store that might have changed it, an atomic
// one or one of a byte.
template <class Function, bool IsCopied>
struct callee {
  std::remove_const_t<Function> function;

  callee(Function& f) : function(f) {}
  template <class... Arguments>
  decltype(auto) operator()(Arguments&&... arguments) const {
    return std::invoke(function, std::forward<Arguments>(arguments)...);
  }
};

template <class Function>
struct callee<Function, false> {
  Function* function;

  callee(Function& f) : function(std::addressof(f)) {}
  template <class... Arguments>
  decltype(auto) operator()(Arguments&&... arguments) const {
    return std::invoke(*function, std::forward<Arguments>(arguments)...);
  }
};

template <class Function, class... Argument>
using callee_for =
    callee<std::remove_reference_t<Function>, copied<std::remove_cvref_t<Function>, Argument...>>;

// A copy, for who is about to run part of a loop; itself, where a copy would be more than bytes.
template <class Piece>
auto own_copy(const Piece& piece)
    -> std::conditional_t<std::is_trivially_copyable_v<Piece>, Piece, const Piece&> {
  return piece;
}

}  // namespace detail
}  // namespace v0
}  // namespace doall
