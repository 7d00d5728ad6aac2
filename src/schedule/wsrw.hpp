// wsrw: a block of equal cost for each worker, then work stealing: half of the cost, from the
// worker whose iterations left cost most (cows.hpp, COWS's WSRW, sections III-D and IV).
//
// It begins with blocks of equal cost where the paper has every P-th iteration
// (initial_lists.hpp says why, and how to have the paper's).
//
// The victim keeps the fewest iterations that cost at least half of what it has left, as Figure 9
// has it, found by bisection (Opt4; cut=walk: as Figure 9 finds it, to measure what Opt4 saves): so
// the thief's part costs half or less, and with equal costs the schedule is wsri. Where it differs:
//   - Half is not rounded down, as in Figure 9's integer division: of three equal iterations a
//     victim would keep one, and the thief would have more than half.
//   - The thief gets at least the last iteration, if all the cost lies there: the paper's thief
//     would leave although the victim has plenty. The victim keeps at least one.
//   - The cost of iterations limits reservations, and what is left alone (list_costs.hpp).
//   - Of lists of equal cost, the longer one is stolen from. If all that is left costs nothing, no
//     worker is stolen from under Figure 8; here it is shared by number, and no worker leaves while
//     there is something.
//
// Costs: running sums along the lists: with assign=block the loop's own, else those of
// costs_by_owner.hpp. Without them all costs are 0, which makes it wsri. Cost: O(1) for each look
// at a victim and for each reservation that is cheap enough, else O(log c); O(log n) to cut n
// iterations (O(n) by a walk), again if the victim was quicker.
#pragma once

#include <compare>

#include "schedule/cows/cows.hpp"
#include "schedule/cows/list_costs.hpp"

namespace doall::schedules {

enum cut_search : u64 { by_bisection = 1, by_walking };

class most_cost : public cost_limits {
 public:
  struct options {
    u64 c = 0;  // the first are cows_options'
    u64 min = 0;
    u64 assign = 0;
    u64 cut = 0;  // of enum cut_search
  };

  static constexpr description about = {
      .name = "wsrw",
      .paper = "COWS",
      .summary = "own block of equal cost first; then half of the cost that is left where most is",
      .parameters = cows_parameters.with(
          {.key = "cut",
           .meaning = "how half of a victim's cost is found: by bisection; or iteration by "
                      "iteration, as a measure of what that saves",
           .words = {"bisect", "walk"},
           .default_word = "bisect"}),
      .properties = uses_costs | keeps_affinity,
  };

  static constexpr bool draws = false;

  explicit most_cost(const loop_context& loop)
      : cost_limits(loop.costs, loop.given.as<options>().cut == by_walking) {}

  struct price {
    u64 cost = 0;
    u64 iterations = 0;

    auto operator<=>(const price&) const = default;
  };

  price worth(range list, const initial_lists& lists) const {
    const list_costs before(costs_, lists, list.begin);
    if (!before.given()) return {0, list.size()};
    return {before(list.end) - before(list.begin), list.size()};
  }

  u64 place(range list, const initial_lists& lists) const {
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
