// What the headers need of the language and of its library. Every public header comes here first.
#pragma once

// A file that does not exist ends the compilation: what followed would be hundreds of errors that
// explain nothing.
#if __cplusplus < 202002L
#error "doall needs C++20: compile with -std=c++20 or a newer standard"
#include <doall/needs_cpp20>
#elif !defined(__cpp_exceptions)
#error "doall needs exceptions: compile without -fno-exceptions (C programs include doall/doall.h)"
#include <doall/needs_exceptions>
#endif

#include <version>

// libc++ before 20 has std::stop_token only with -fexperimental-library. Without it loops cannot be
// stopped, and all else is there.
#if defined(__cpp_lib_jthread)
#include <stop_token>
#endif

namespace doall {
inline namespace v0 {

#if defined(__cpp_lib_jthread)
namespace detail {
using stop_token = std::stop_token;
}
#else
namespace detail {
// A token of which no stop can be requested.
struct stop_token {
  static constexpr bool stop_requested() { return false; }
  static constexpr bool stop_possible() { return false; }
};
}  // namespace detail
// These have another layout then, and so another name: a program may mix units of both kinds.
inline namespace unstoppable {
#endif
struct loop_options;
class task_group;
#if !defined(__cpp_lib_jthread)
}
#endif

}  // namespace v0
}  // namespace doall
