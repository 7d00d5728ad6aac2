// Makes a leased team the makers of sums for its loop (loop_costs.hpp).
#pragma once

#include <bit>

#include "barrier/half_barrier.hpp"
#include "costs/loop_costs.hpp"

namespace doall::costs {

// Of a team that is launched by team.run(barrier::task).
template <barrier::attendance Who, class Team>
cost_makers makers_of(Team& team) {
  using make_piece = void (*)(void* job, std::uint32_t piece);
  return {.run =
              [](void* of, make_piece make, void* job) {
                static_cast<Team*>(of)->run({.run =
                                                 [](const barrier::task& work, std::uint32_t w) {
                                                   std::bit_cast<make_piece>(work.function)(
                                                       work.context, w);
                                                 },
                                             .context = job,
                                             .function = std::bit_cast<void (*)(void*)>(make),
                                             .who = Who});
              },
          .team = &team};
}

}  // namespace doall::costs
