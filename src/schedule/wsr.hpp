// wsr: work stealing from a random victim; half of its iterations (cows.hpp, COWS's WSR).
//
// The paper says no more than "random". Here some workers are drawn, and the first that has at
// least min iterations is robbed; if eight in a row have less, the first that has them from a drawn
// one on, since only a look at all tells that nothing is left. A draw is a function of loop, worker
// and turn, so virtual time repeats. Each worker that is drawn counts as a try.
#pragma once

#include "schedule/cows.hpp"

namespace doall::schedules {

class random_victim {
 public:
  static constexpr bool draws = true;

  explicit random_victim(const loop_context&) {}

  // One is as good as another.
  u64 worth(share, const initial_lists&) const { return 0; }
  u64 place(share list, const initial_lists&) const { return middle_of(list); }
};

using wsr = cows<random_victim>;

}  // namespace doall::schedules
