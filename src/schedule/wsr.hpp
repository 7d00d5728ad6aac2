// wsr: work stealing from a random victim; half of its iterations (cows.hpp, COWS's WSR).
//
// The paper only says "random". Here a thief draws workers, and steals from the first that has at
// least min iterations. If eight in a row have less, it steals from the first that has them from a
// drawn one on, since only a look at all tells that nothing is left. A draw is a function of loop,
// worker and turn, so virtual time repeats. Each worker that is drawn counts as a try.
#pragma once

#include "schedule/cows/cows.hpp"

namespace doall::schedules {

class random_victim {
 public:
  using options = cows_options;

  static constexpr description about = {
      .name = "wsr",
      .paper = "COWS",
      .summary = "every P-th block first; then half of what a worker drawn at random has left",
      .parameters = cows_parameters,
      .properties = keeps_affinity,
  };

  static constexpr bool draws = true;

  explicit random_victim(const loop_context&) {}

  // One is as good as another.
  u64 worth(range, const initial_lists&) const { return 0; }
  u64 place(range list, const initial_lists&) const { return middle_of(list); }
};

using wsr = cows<random_victim>;

}  // namespace doall::schedules
