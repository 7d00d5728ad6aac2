// The cost of a part of one of COWS's lists, and two limits: on what to reserve at once, and on
// what is too little to steal.
//
// Unless c= is given, a reservation is one iteration, or costs at most as much as c average ones,
// or a 32nd of a worker's part of all costs if that is more. Reserved iterations cannot be stolen:
// if the c hubs of a power law lay side by side, all workers would wait for them. With equal costs
// a reservation is c iterations. The paper (COWS, section III-B) reserves c whatever they cost.
//
// Unless min= is given, a victim with fewer than min iterations is left alone only if they cost no
// more than min average ones: the few hubs that a victim has kept may be half of what it had. It
// may lose the only iteration that it has not reserved.
//
// Callers: any thread. Cost: O(1); O(log c) for a reservation that is too expensive.
// What was tried and taken back: docs/investigations/2026-11-23-a-chunk-through-memory.md.
#pragma once

#include "schedule/cows/cows.hpp"

namespace doall::schedules {

// The cost of the tickets below a given one, in one owner's list, probably that of `guess`.
class list_costs {
 public:
  list_costs(const cost_sums& costs, const initial_lists& lists, u64 ticket,
             std::uint32_t guess = 0)
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

// The limits of a rule of cows.hpp whose costs may be known.
class cost_limits {
 public:
  explicit cost_limits(const cost_sums& costs, bool walks = false) : costs_(costs), walks_(walks) {}

  const cost_sums& costs() const { return costs_; }

  void will_reserve(u64 c, const loop_context& loop) {
    if (!costs_.given() || loop.shape.iterations == 0) return;
    const u64 part = costs_.total() / loop.shape.workers;
    const u64 usual = base::saturating_mul(c, mean_of(loop));
    limit_ = std::max(usual, part / in_a_part);
    // A 16th less than would be within the limit if all cost the mean.
    const u64 fit = limit_ / 16 * 15 / std::max<u64>(usual, 1);
    several_ = static_cast<std::uint8_t>(std::clamp<u64>(fit, 1, 255));
  }

  void will_leave(u64 least, const loop_context& loop) {
    if (!costs_.given() || loop.shape.iterations == 0) return;
    left_alone_ = base::saturating_mul(least, mean_of(loop));
  }

  bool is_dear(range list, const initial_lists& lists) const {
    if (left_alone_ == base::u64_max) return false;
    u64 cost = 0;
    for (range left = list; left.size() != 0;) {
      const u64 some = lists.side_by_side(left, 0);
      cost = base::saturating_add(cost, cost_of({left.begin, left.begin + some}, lists, 0));
      left.begin += some;
    }
    return cost > left_alone_;
  }

  [[gnu::always_inline]] u64 portion(range list, const initial_lists& lists,
                                     std::uint32_t guess) const {
    if (limit_ == base::u64_max || list.size() < 2) return list.size();
    return cost_of(list, lists, guess) <= limit_ ? list.size() : cheap_part(list, lists, guess);
  }

  // How many of these chunks, from the first on, portion() would reserve whole; perhaps there are
  // more. If several together cost no more than the limit, so does each.
  [[gnu::always_inline]] u64 whole_portions(const initial_lists::row& row, u64 c) const {
    if (limit_ == base::u64_max || c < 2) return row.count;
    const u64 first = costs_.before(row.begin);
    u64 fit = 0;
    if (row.stride == c) {
      u64 before = first;
      while (fit < judged_most * several_ && row.count - fit >= several_) {
        const u64 behind = costs_.before(row.begin + (fit + several_) * c);
        if (behind - before > limit_) break;
        before = behind;
        fit += several_;
      }
    }
    if (fit != 0) return fit;
    return costs_.before(row.begin + c) - first <= limit_ ? 1 : 0;
  }

 protected:
  // Packed together: a schedule's object has object_bytes, and this one fills them.
  [[no_unique_address]] cost_sums costs_;
  bool walks_;                // finds a cut by looking at one iteration after the other
  std::uint8_t several_ = 1;  // reservations that are judged together

 private:
  static constexpr u64 judged_most = 4;  // times several reservations
  static constexpr u64 in_a_part = 32;   // reservations of a worker's part, at least

  u64 mean_of(const loop_context& loop) const {
    return base::ceil_div(costs_.total(), loop.shape.iterations);
  }

  // How many of the first tickets cost no more than the limit, at least one. Kept out of the usual
  // path.
  [[gnu::noinline]] u64 cheap_part(range list, const initial_lists& lists,
                                   std::uint32_t guess) const {
    u64 low = 1;
    u64 high = list.size() - 1;
    while (low < high) {
      const u64 middle = high - (high - low) / 2;
      if (cost_of({list.begin, list.begin + middle}, lists, guess) <= limit_) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  // The cost of tickets that make one chunk.
  [[gnu::always_inline]] u64 cost_of(range tickets, const initial_lists& lists,
                                     std::uint32_t guess) const {
    const chunk c = lists.chunk_of(tickets, guess);
    if (c.step == 1) return costs_.before(c.end) - costs_.before(c.begin);
    const list_costs before(costs_, lists, tickets.begin, guess);
    return before.given() ? before(tickets.end) - before(tickets.begin) : 0;
  }

  u64 limit_ = base::u64_max;       // of a reservation of several
  u64 left_alone_ = base::u64_max;  // at most, with a victim that has little
};

}  // namespace doall::schedules
