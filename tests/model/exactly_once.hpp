// A suite for a schedule: every iteration is dealt exactly once, whoever comes
// when. It runs two loops one after the other with a full barrier between them;
// the second finds the per-worker lines as the first has left them. A worker that
// arrives late needs no case of its own: any worker is late in some
// interleavings. One that never arrives does.
#pragma once

#include "barrier/full_barrier.hpp"
#include "model_run.hpp"
#include "schedule/schedule.hpp"

namespace doall::model {

using schedules::u64;

struct loop {
  u64 iterations;
  schedules::params given = {};
  unsigned absent = 0;  // workers, the last ones, that never arrive
};

template <class Schedule, unsigned Workers, loop Loop>
struct exactly_once : rl::test_suite<exactly_once<Schedule, Workers, Loop>, Workers> {
  static constexpr int loops = 2;
  static constexpr unsigned present = Workers - Loop.absent;

  schedules::worker_line lines[Workers];
  Schedule schedule[loops] = {Schedule(context(1)), Schedule(context(2))};
  sync::plain<int> runs[loops][Loop.iterations];
  barrier::full_barrier barrier;

  schedules::loop_context context(u64 epoch) {
    return {{Loop.iterations, Workers}, Loop.given, lines, epoch};
  }

  void thread(unsigned index) {
    if (index >= present) return;
    for (int l = 0; l < loops; ++l) {
      run(schedule[l], runs[l], index);
      barrier.arrive(present, 0);
      // Visible to all after the join, and by then complete.
      for (const auto& count : runs[l]) RL_ASSERT(count.get() == 1);
    }
  }

  // As a door asks: the short way first, if there is one.
  static schedules::chunk ask(Schedule& s, schedules::worker w) {
    if constexpr (requires { s.usual(w); }) {
      if (const schedules::chunk usual = s.usual(w); !usual.empty()) return usual;
    }
    return s.next(w, {});
  }

  static void run(Schedule& s, sync::plain<int> (&count)[Loop.iterations], unsigned index) {
    for (u64 turn = 0;; ++turn) {
      const schedules::chunk c = ask(s, {index, turn});
      if (c.empty()) return;
      RL_ASSERT(c.end <= Loop.iterations);
      for (u64 i = c.begin; i < c.end; i += c.step) count[i].set(count[i].get() + 1);
    }
  }
};

}  // namespace doall::model
