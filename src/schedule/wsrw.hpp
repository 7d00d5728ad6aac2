// wsrw: work stealing from whose iterations left cost most; half of that cost (cows.hpp, COWS's
// WSRW, sections III-D and IV).
//
// The victim keeps the fewest iterations that cost at least half of what it has left, as Figure 9
// has it, found by bisection (Opt4): so the thief's part costs half or less, and with equal costs
// the schedule is wsri. Where it differs:
//   - Half is not rounded down, as Figure 9's integer division does: of three equal iterations a
//     victim would keep one, and the thief have more than half.
//   - The thief gets the last iteration at least, if all the cost lies there: the paper's would go
//     away although the victim has plenty. The victim keeps one at least.
//   - A reservation costs no more than c iterations at the mean, or than a 32nd of a worker's part
//     of all costs if that is more, or is one iteration; unless c= says how many. What is reserved
//     cannot be stolen: the c hubs of a power law that lie in one list would be what everybody
//     waits for. With equal costs it is c iterations.
//   - Of equal costs, the longer list is robbed. Where all that is left costs nothing, so says
//     Figure 8, nobody is; here it is shared by number, and nobody leaves while there is something.
//
// Costs: running sums along the lists: the loop's own with assign=block, and those of
// costs_by_owner.hpp else. Without them everything costs nothing, which makes it wsri. Cost: O(1)
// per look at a victim and per reservation that is cheap enough, else O(log c); O(log n) to cut n
// iterations, anew if the victim was quicker.
#pragma once

#include <compare>

#include "schedule/cows.hpp"

namespace doall::schedules {

class most_cost {
 public:
  static constexpr bool draws = false;

  explicit most_cost(const loop_context& loop) : costs_(loop.costs) {}

  void will_reserve(u64 c, const loop_context& loop) {
    if (!costs_.given() || loop.shape.iterations == 0) return;
    const u64 total = costs_.total();
    const u64 mean = base::ceil_div(total, loop.shape.iterations);
    reserve_cost_ =
        std::max(base::saturating_mul(c, mean), total / loop.shape.workers / reserves_a_worker);
  }

  struct price {
    u64 cost = 0;
    u64 iterations = 0;

    auto operator<=>(const price&) const = default;
  };

  price worth(const share& list, const initial_lists& lists) const {
    const sums before(costs_, lists, list.begin);
    if (!before.given()) return {0, list.size()};
    return {before(list.end) - before(list.begin), list.size()};
  }

  u64 portion(const share& list, const initial_lists& lists, std::uint32_t guess) const {
    if (reserve_cost_ == base::u64_max || list.size() < 2) return list.size();
    const sums before(costs_, lists, list.begin, guess);
    if (!before.given()) return list.size();
    const u64 limit = base::saturating_add(before(list.begin), reserve_cost_);
    if (before(list.end) <= limit) return list.size();
    u64 low = 1;
    u64 high = list.size() - 1;
    while (low < high) {
      const u64 middle = high - (high - low) / 2;
      if (before(list.begin + middle) <= limit) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  u64 place(const share& list, const initial_lists& lists) const {
    const sums before(costs_, lists, list.begin);
    if (!before.given()) return middle_of(list);
    const u64 from = before(list.begin);
    const u64 all = before(list.end) - from;
    if (all == 0) return middle_of(list);
    const u64 half = all - all / 2;
    u64 low = list.begin + 1;
    u64 high = list.end - 1;
    while (low < high) {
      const u64 middle = low + (high - low) / 2;
      if (before(middle) - from >= half) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

 private:
  static constexpr u64 reserves_a_worker = 32;  // at least

  // Of one owner's list, probably that of `guess`: what its tickets below one cost.
  class sums {
   public:
    sums(const cost_sums& costs, const initial_lists& lists, u64 ticket, std::uint32_t guess = 0)
        : costs_(costs),
          lists_(lists),
          by_owner_(costs, lists.cyclic()),
          owner_(lists.in_blocks() ? 0 : lists.owner_of(ticket, guess)) {}

    bool given() const { return lists_.in_blocks() ? costs_.given() : by_owner_.given(); }
    u64 operator()(u64 ticket) const {
      const u64 entries = lists_.entries_before(ticket, owner_);
      return lists_.in_blocks() ? costs_.before(entries) : by_owner_.before(owner_, entries);
    }

   private:
    const cost_sums& costs_;
    const initial_lists& lists_;
    costs_by_owner by_owner_;
    std::uint32_t owner_;
  };

  cost_sums costs_;
  u64 reserve_cost_ = base::u64_max;  // the most that one of several iterations may cost
};

using wsrw = cows<most_cost>;

}  // namespace doall::schedules
