// wsri: work stealing from who has most iterations left; half of them (cows.hpp, COWS's WSRI,
// section III-C). The victim keeps y - y / 2. Of equal victims the first behind the thief is
// robbed, not the first of all as in Figure 8: so thieves that come together begin with different
// ones.
#pragma once

#include "schedule/cows.hpp"
#include "schedule/list_costs.hpp"

namespace doall::schedules {

class most_iterations : public cost_limits {
 public:
  static constexpr bool draws = false;

  explicit most_iterations(const loop_context& loop) : cost_limits(loop.costs) {}

  u64 worth(share list, const initial_lists&) const { return list.size(); }
  u64 place(share list, const initial_lists&) const { return middle_of(list); }
};

using wsri = cows<most_iterations>;

}  // namespace doall::schedules
