// The lists of a cyclic assignment, and what the iterations cost in their order: for each owner a
// running sum along its list, so that what any part of a list costs is one subtraction.
//
// Paper: COWS, section III-A (the lists are computed, never stored) and Figure 6, TArr. Owner j's
// list is the iterations j, j + P, j + 2 P, ... below N. Where it differs:
//   - A sum counts what lies before an entry, as cost_sums does. In Figure 6 TArr[t][i] has
//     iteration i in it already, so the formula for what is left, TArr[t][x + y] - TArr[t][x],
//     is off by one iteration there.
//   - The sums are made from the differences of the loop's own running sums, whoever made those.
//   - All lie in one array, of P (L + 1) numbers, where L = ceil(N / P) is the longest list's
//     length: owner j's begin at j (L + 1), with a 0; what lies behind the end of a shorter list is
//     undefined. Each owner's are made without those of another, in any order or in parallel.
//
// Who may call what: sum_up() whoever owns the array, for different owners at once; before()
// anybody, once they are made. Cost: sum_up O(L), before O(1).
#pragma once

#include "schedule/schedule.hpp"

namespace doall::schedules {

class cyclic_lists {
 public:
  explicit cyclic_lists(loop_shape shape)
      : iterations_(shape.iterations),
        workers_(shape.workers),
        longer_(static_cast<std::uint32_t>(shape.iterations % shape.workers)),
        shorter_length_(shape.iterations / shape.workers) {}

  u64 iterations() const { return iterations_; }
  std::uint32_t workers() const { return workers_; }
  u64 length_of(std::uint32_t owner) const { return shorter_length_ + (owner < longer_ ? 1 : 0); }
  u64 longest() const { return length_of(0); }

  // Entry x of the list, x below its length.
  u64 iteration(std::uint32_t owner, u64 x) const { return owner + x * workers_; }

 private:
  u64 iterations_;
  std::uint32_t workers_;
  std::uint32_t longer_;  // so many owners, the first ones, have an entry more
  u64 shorter_length_;
};

// The sums, as cost_sums::by_owner() carries them.
class costs_by_owner {
 public:
  // How many numbers there are; 2^64 - 1 for more than can be counted.
  static u64 entries(loop_shape shape) {
    const u64 each = base::saturating_add(cyclic_lists(shape).longest(), 1);
    return base::saturating_mul(each, shape.workers);
  }

  // Makes those of one owner. `costs` are the loop's, not reversed; `all` has entries(shape).
  static void sum_up(const cost_sums& costs, loop_shape shape, std::uint32_t owner, u64* all) {
    const cyclic_lists lists(shape);
    u64* sums = all + first_of(lists, owner);
    sums[0] = 0;
    for (u64 x = 0; x < lists.length_of(owner); ++x) {
      const u64 i = lists.iteration(owner, x);
      sums[x + 1] = sums[x] + (costs.before(i + 1) - costs.before(i));
    }
  }

  // Makes those of all owners.
  static void sum_up(const cost_sums& costs, loop_shape shape, u64* all) {
    for (std::uint32_t owner = 0; owner < shape.workers; ++owner) sum_up(costs, shape, owner, all);
  }

  costs_by_owner(const cost_sums& costs, const cyclic_lists& lists)
      : costs_(costs), lists_(lists) {}

  bool given() const { return costs_.by_owner() != nullptr; }

  // What the first x entries of the owner's list cost.
  u64 before(std::uint32_t owner, u64 x) const {
    if (!costs_.is_reversed()) return costs_.by_owner()[first_of(lists_, owner) + x];
    // The loop is numbered backwards: iteration i is N - 1 - i of the sums, so this list is one of
    // the others from its end, as long as itself.
    const auto forward =
        static_cast<std::uint32_t>((lists_.iterations() - 1 - owner) % lists_.workers());
    const u64* const sums = costs_.by_owner() + first_of(lists_, forward);
    const u64 length = lists_.length_of(forward);
    return sums[length] - sums[length - x];
  }

  // Where an owner's sums begin.
  static u64 first_of(const cyclic_lists& lists, std::uint32_t owner) {
    return owner * (lists.longest() + 1);
  }

 private:
  const cost_sums& costs_;
  const cyclic_lists& lists_;
};

}  // namespace doall::schedules
