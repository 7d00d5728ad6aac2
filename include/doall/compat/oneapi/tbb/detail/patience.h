// How long a wait waits for tasks that lie with a thread that does not wait, and what it says then.
#ifndef DOALL_COMPAT_PATIENCE_H
#define DOALL_COMPAT_PATIENCE_H

#include <chrono>
#include <cstdio>
#include <stdexcept>

#ifndef DOALL_COMPAT_PATIENCE_MS
#define DOALL_COMPAT_PATIENCE_MS 10000
#endif

namespace tbb {
inline namespace doall_v0 {
namespace detail {

// A function, for at -O0 a variable would be visible, and keep a plugin from being unloaded.
constexpr std::chrono::milliseconds patience() {
  return std::chrono::milliseconds(DOALL_COMPAT_PATIENCE_MS);
}

[[noreturn]] inline void throw_impatience() {
  // No std::to_string(): its table would keep a plugin from being unloaded.
  char why[224];
  std::snprintf(
      why, sizeof why,
      "tbb::task_group (doall/compat): wait() by another thread than the one that gave the "
      "first task, while that one has not waited for this group for %g s; expected it to "
      "wait, too",
      DOALL_COMPAT_PATIENCE_MS / 1000.0);
  throw std::logic_error(why);
}

}  // namespace detail
}  // namespace doall_v0
}  // namespace tbb

#endif
