// What a process under test and the one that watches it share: a page of counters, the
// descriptor of its stacks, and how a failure is told.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/rng.hpp"

namespace doall::doors {

using u64 = std::uint64_t;

// Relaxed everywhere: a count must not order what it counts.
struct page {
  struct alignas(64) line {
    std::atomic<u64> actions{0};
  };
  line moved[64];  // by thread, modulo
  std::atomic<u64> programs{0};

  u64 actions() const {
    u64 sum = 0;
    for (const line& l : moved) sum += l.actions.load(std::memory_order_relaxed);
    return sum;
  }
};

// The watcher's page, if it has passed one on (DOALL_DOORS_PAGE, a descriptor); else one's own.
page& shared_page();

// Names of variables through which the watcher speaks to the process under test.
inline constexpr const char* page_variable = "DOALL_DOORS_PAGE";
inline constexpr const char* stacks_variable = "DOALL_DOORS_STACKS";
inline constexpr const char* schedules_variable = "DOALL_DOORS_SCHEDULES";
inline constexpr const char* leave_out_variable = "DOALL_TEST_LEAVE_OUT";

// Whether `name` is among the names, separated by commas, of that variable.
bool is_left_out(const char* name);

// Writes one line, without locks and buffers, prints this thread's stack, and ends the process
// with status 1.
[[noreturn]] void fail(const char* what, u64 got = 0, u64 expected = 0);

inline void check(bool holds, const char* what, u64 got = 0, u64 expected = 0) {
  if (!holds) [[unlikely]]
    fail(what, got, expected);
}

// On SIGSYS, which no worker blocks, a thread writes its stack to the watcher's descriptor;
// on a fault too, and then the process ends.
void answer_with_stacks();

// What this thread is doing, innermost last, for its stack's first line.
class doing {
 public:
  explicit doing(const char* name);
  ~doing();
  doing(const doing&) = delete;
  doing& operator=(const doing&) = delete;
};

// Every action calls it.
void moved();

}  // namespace doall::doors
