// A leased team as makers of sums (loop_costs.hpp), before its loop.
#pragma once

#include <bit>

#include "team/crew.hpp"
#include "team/loop_costs.hpp"

namespace doall::team {

template <barrier::attendance Who>
cost_makers makers_of(crew::lease& team) {
  using make_piece = void (*)(void* job, std::uint32_t piece);
  return {.run =
              [](void* of, make_piece make, void* job) {
                static_cast<crew::lease*>(of)->run(
                    {.run =
                         [](const barrier::task& work, std::uint32_t w) {
                           std::bit_cast<make_piece>(work.function)(work.context, w);
                         },
                     .context = job,
                     .function = std::bit_cast<void (*)(void*)>(make),
                     .who = Who});
              },
          .team = &team};
}

}  // namespace doall::team
