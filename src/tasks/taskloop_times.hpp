// What a task of a taskloop takes, from the ranges of it that a thread has executed, and whether it
// is worth a theft.
//
// What disturbs a measurement makes it longer: a preemption, a wait for data that another thread
// wrote last, and in a range of few tasks what the range itself takes. One such value must not be
// believed: thieves would take the next taskloop apart into small ranges, which measure long again.
// So the shorter of the last two holds, and a range that is too short says nothing.
//
// Plain values of one thread.
// How it was found: docs/investigations/2026-11-25-tasks-beside-others.md.
#pragma once

#include <algorithm>
#include <cstdint>

namespace doall::tasks {

// What a theft takes, of the thief's time and its victim's together: a task of less work gains
// nothing by being stolen.
constexpr std::uint64_t theft_ns = 2000;

class taskloop_times {
 public:
  // A range of so few tasks, and shorter than a theft, says what a range takes, not its tasks.
  static constexpr std::uint64_t tasks_least = 16;

  void add(const void* code, std::uint64_t tasks, std::uint64_t ns) {
    if (tasks < tasks_least && ns < theft_ns) return;
    const std::uint64_t each_ns = ns / tasks;
    before_ns_ = code == code_ ? last_ns_ : each_ns;
    last_ns_ = each_ns;
    code_ = code;
  }

  // Whether so many of its tasks are known to take less time than a theft.
  bool are_short(const void* code, std::uint64_t tasks) const {
    return code == code_ && std::min(last_ns_, before_ns_) * tasks < theft_ns;
  }

 private:
  const void* code_ = nullptr;
  std::uint64_t last_ns_ = 0;
  std::uint64_t before_ns_ = 0;
};

}  // namespace doall::tasks
