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

// What holds a stop token, or asks one, has another content without std::stop_token, and so another
// name: a program may mix units of both kinds. It lies between these two, unless its name has a
// type that does.
#if defined(__cpp_lib_jthread)
#define DOALL_DIFFERS_BY_STOPS_BEGIN
#define DOALL_DIFFERS_BY_STOPS_END
#else
#define DOALL_DIFFERS_BY_STOPS_BEGIN inline namespace unstoppable {
#define DOALL_DIFFERS_BY_STOPS_END }
#endif

namespace doall {
inline namespace v0 {

namespace detail {
#if defined(__cpp_lib_jthread)
using stop_token = std::stop_token;
#else
// A token of which no stop can be requested.
struct stop_token {
  static constexpr bool stop_requested() { return false; }
  static constexpr bool stop_possible() { return false; }
};
#endif
}  // namespace detail

DOALL_DIFFERS_BY_STOPS_BEGIN
struct loop_options;
class task_group;
DOALL_DIFFERS_BY_STOPS_END

}  // namespace v0
}  // namespace doall
