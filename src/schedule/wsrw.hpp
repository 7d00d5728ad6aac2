// wsrw: a block each of equal cost, then work stealing from whose iterations left cost most, half
// of that cost (cows.hpp, COWS's WSRW, sections III-D and IV).
//
// It begins with blocks of equal cost where the paper has every P-th iteration
// (initial_lists.hpp says why, and how to have the paper's).
//
// The victim keeps the fewest iterations that cost at least half of what it has left, as Figure 9
// has it, found by bisection (Opt4; cut=walk: as Figure 9 finds it, to measure what Opt4 saves): so
// the thief's part costs half or less, and with equal costs the schedule is wsri. Where it differs:
//   - Half is not rounded down, as Figure 9's integer division does: of three equal iterations a
//     victim would keep one, and the thief have more than half.
//   - The thief gets the last iteration at least, if all the cost lies there: the paper's would go
//     away although the victim has plenty. The victim keeps one at least.
//   - Reservations, and what is left alone, are limited by what they cost (list_costs.hpp).
//   - Of equal costs, the longer list is robbed. Where all that is left costs nothing, so says
//     Figure 8, nobody is; here it is shared by number, and nobody leaves while there is something.
//
// Costs: running sums along the lists: the loop's own with assign=block, and those of
// costs_by_owner.hpp else. Without them everything costs nothing, which makes it wsri. Cost: O(1)
// per look at a victim and per reservation that is cheap enough, else O(log c); O(log n) to cut n
// iterations (O(n) by a walk), anew if the victim was quicker.
#pragma once

#include <compare>

#include "schedule/cows.hpp"
#include "schedule/list_costs.hpp"

namespace doall::schedules {

class most_cost : public cost_limits {
 public:
  static constexpr bool draws = false;

  explicit most_cost(const loop_context& loop)
      : cost_limits(loop.costs, loop.given.round == by_walking) {}

  struct price {
    u64 cost = 0;
    u64 iterations = 0;

    auto operator<=>(const price&) const = default;
  };

  price worth(share list, const initial_lists& lists) const {
    const list_costs before(costs_, lists, list.begin);
    if (!before.given()) return {0, list.size()};
    return {before(list.end) - before(list.begin), list.size()};
  }

  u64 place(share list, const initial_lists& lists) const {
    const list_costs before(costs_, lists, list.begin);
    if (!before.given()) return middle_of(list);
    const u64 from = before(list.begin);
    const u64 all = before(list.end) - from;
    if (all == 0) return middle_of(list);
    const u64 half = all - all / 2;
    u64 low = list.begin + 1;
    u64 high = list.end - 1;
    while (low < high) {
      const u64 middle = walks_ ? low : low + (high - low) / 2;
      if (before(middle) - from >= half) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
};

using wsrw = cows<most_cost>;

}  // namespace doall::schedules
