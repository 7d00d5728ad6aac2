// How a loop's workers call the function that its caller passed.
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

// Whether a copy of a function serves as well as the function itself: it is called with one of
// these arguments, calls do not change it, and it is copied as bytes. The standard's algorithms
// copy any function ([algorithms.requirements]). Arguments after the first that fits are not tried:
// a generic body may not compile with them.
template <class Function, class... Argument>
concept copied = std::is_object_v<Function> && std::is_trivially_copyable_v<Function> &&
                 std::copy_constructible<Function> && sizeof(Function) <= most_bytes_copied &&
                 std::disjunction_v<std::is_invocable<const Function&, Argument>...>;

// The caller's function, or a copy of it, as a part of a loop's piece. A piece copies all that it
// can (own_copy), so that what a body captured is in registers. In memory that others can reach, it
// is read again after every store that might have changed it, such as an atomic store or a store of
// a byte.
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

// What combines results, by reference; a pointer to a member as a function that can be called.
template <class Combine>
using operation = std::conditional_t<std::is_member_pointer_v<std::remove_cvref_t<Combine>>,
                                     callee<std::remove_reference_t<Combine>, true>, Combine&>;

// A copy of the piece, for the worker that is about to run a part of the loop; the piece itself, if
// copying is more than copying bytes.
template <class Piece>
auto own_copy(const Piece& piece)
    -> std::conditional_t<std::is_trivially_copyable_v<Piece>, Piece, const Piece&> {
  return piece;
}

}  // namespace detail
}  // namespace v0
}  // namespace doall
