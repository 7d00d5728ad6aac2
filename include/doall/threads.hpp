// How many workers a thread's loops have.
#pragma once

#include <doall/detail/language.hpp>

#include <doall/abi.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>

namespace doall {
inline namespace v0 {

// The most workers that a loop started here could have, this thread included: those of the
// process, of the thread_scope around, or of the loop around. A loop that is too short for them has
// fewer. O(1).
inline std::uint32_t threads() noexcept { return doall_threads(); }

// While it lives, the loops and groups that this thread starts have that many workers, including
// the thread itself; afterwards as many as before. Scopes nest. In an iteration it limits what is
// started there, to no more workers than the loop around has; other threads go on with that loop.
//
//   doall::thread_scope four(4);
//
// Loops get at most as many workers as the process may use CPUs, for more would take turns.
// DOALL_OVERSUBSCRIBE=true lifts that, for bodies that wait rather than compute. Loops get fewer
// workers if threads cannot be created, and never more than 1024. Fewer than 1 throws
// std::invalid_argument. For native loops only: OpenMP code has its own settings.
class [[nodiscard]] thread_scope {
 public:
  explicit thread_scope(std::int64_t threads) : before_(set(threads)) {}
  ~thread_scope() { doall_set_threads(before_); }
  thread_scope(const thread_scope&) = delete;
  thread_scope& operator=(const thread_scope&) = delete;

 private:
  static std::uint32_t set(std::int64_t threads) {
    if (threads < 1) {
      char why[128];  // no string: costs.hpp says why
      std::snprintf(why, sizeof why,
                    "doall::thread_scope: bad thread count %" PRId64
                    ", expected at least 1; nothing is changed",
                    threads);
      throw std::invalid_argument(why);
    }
    constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
    return doall_set_threads(static_cast<std::uint32_t>(threads < most ? threads : most));
  }

  std::uint32_t before_;
};

}  // namespace v0
}  // namespace doall
