// wsri: work stealing from the worker that has most iterations left; half of them (cows.hpp, COWS's
// WSRI, section III-C). The victim keeps y - y / 2. Of equal victims the first after the thief is
// stolen from, not the first of all as in Figure 8: so thieves that come together begin with
// different victims.
#pragma once

#include "schedule/cows/cows.hpp"
#include "schedule/cows/list_costs.hpp"

namespace doall::schedules {

class most_iterations : public cost_limits {
 public:
  using options = cows_options;

  static constexpr description about = {
      .name = "wsri",
      .paper = "COWS",
      .summary = "wsr, but from the worker with most iterations left",
      .parameters = cows_parameters,
      .properties = keeps_affinity,
  };

  static constexpr bool draws = false;

  explicit most_iterations(const loop_context& loop) : cost_limits(loop.costs) {}

  u64 worth(range list, const initial_lists&) const { return list.size(); }
  u64 place(range list, const initial_lists&) const { return middle_of(list); }
};

using wsri = cows<most_iterations>;

}  // namespace doall::schedules
