// What happens when there is no memory: no exception leaves a library.
//
// A library has a libstdc++ of its own, so an exception that leaves it is a stranger to the program
// and to the other library: what that one frees at the end of its handler may lie in the reserve of
// this one's. So std::bad_alloc is thrown in a scope with a may_fail alone, where the same library
// catches it: there is a team of fewer threads, no memory for a schedule, no cost. Elsewhere the
// program is told, and ended, as by libgomp.
//
// Each library has a handler of its own (base/no_memory.cpp, omp/no_memory.cpp), since each has an
// operator new of its own. A sanitizer's build and libdoall.a share the program's libstdc++ and
// throw.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <new>

namespace doall::base {

// A scope whose lack of memory is caught. The library's own.
class [[gnu::visibility("hidden")]] may_fail {
 public:
  may_fail() { ++scopes_; }
  ~may_fail() { --scopes_; }
  may_fail(const may_fail&) = delete;
  may_fail& operator=(const may_fail&) = delete;

  static bool here() { return scopes_ != 0; }

 private:
  static inline constinit thread_local int scopes_ = 0;
};

// What `make` gives, which asks with std::nothrow.
template <class Make>
auto or_null(const Make& make) {
  const may_fail here;
  return make();
}

// Whether the library has a libstdc++ of its own (base/own_runtime.hpp).
[[gnu::visibility("hidden")]] extern const bool owns_libstdcxx;

[[noreturn, gnu::visibility("hidden")]] inline void no_memory() {
  if (owns_libstdcxx && !may_fail::here()) {
    constexpr char line[] = "doall: no memory for what a loop or region needs: the program ends\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, line, sizeof line - 1);
    std::abort();
  }
  throw std::bad_alloc();
}

}  // namespace doall::base
