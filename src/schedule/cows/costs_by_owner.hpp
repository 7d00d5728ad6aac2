// The lists of a cyclic assignment, and the costs of their iterations: for each owner a running sum
// along its list, so that one subtraction gives the cost of any part of a list.
//
// Paper: COWS, section III-A (the lists are computed, never stored) and Figure 6, TArr. There
// owner j's list is the iterations j, j + P, j + 2 P, ... below N. Where it differs:
//   - Blocks of neighbouring iterations go round robin instead. Workers that write neighbouring
//     elements take cache lines from each other, and where a worker leaps in the loop's arrays
//     nothing has been prefetched. assign=cyclic has the paper's lists, blocks of one.
//   - There is a sum for each of a list's blocks; inside a block the loop's own running sums give
//     the rest. So for costs that the user has summed up, such as a matrix's row offsets, next to
//     nothing has to be made and kept; and the sums that are read are those that the body is about
//     to read.
//   - A sum counts what lies before a block, as cost_sums does. In Figure 6 TArr[t][i] already
//     includes iteration i, so the formula for what is left, TArr[t][x + y] - TArr[t][x], is off by
//     one iteration there.
//   - All sums lie in one array of P (B + 1) numbers, where B is the number of blocks of the
//     longest list, that of owner 0. Owner j's begin at j (B + 1), with a 0; what lies behind the
//     end of a shorter list is undefined. Each owner's sums are made without those of another, in
//     any order or in parallel.
//
// Callers: sum_up(), the array's owner, for different list owners at once; before(), any thread,
// once the sums are made. Cost: sum_up O(B), before O(1).
#pragma once

#include <algorithm>
#include <bit>

#include "schedule/schedule.hpp"

namespace doall::schedules {

enum assignment : u64 { one_by_one = 1, in_blocks, block_by_block };

// What all of COWS's schedules take, first.
struct cows_options {
  u64 c = 0;
  u64 min = 0;
  u64 assign = 0;  // of enum assignment
};

inline constexpr few<parameter, most_options> cows_parameters = {
    {.key = "c",
     .positional = true,
     .meaning = "iterations reserved at a time; default: the fourth root of the total workload, "
                "more in long loops, of wsrw fewer where they are dear",
     .iterations = true},
    {.key = "min",
     .meaning = "a worker with fewer iterations left is not stolen from; default 5",
     .iterations = true},
    {.key = "assign",
     .meaning = "a worker's at first: every P-th block of neighbours, the default without costs; "
                "every P-th iteration; or one block, the default with costs, then of equal cost",
     .words = {"cyclic", "block", "block-cyclic"}}};

// How many neighbouring iterations are in a block: a power of two. 1024, or fewer where lists would
// have fewer than 128 blocks. At least as many as `c=` says are reserved at a time, for a
// reservation ends with its block; and as a ticket has (cows.hpp) in loops of 2^40 and more.
inline u64 block_of(const params& given, loop_shape shape) {
  const auto asked = given.as<cows_options>();
  if (asked.assign == one_by_one) return 1;
  constexpr u64 usual = 1024;
  constexpr u64 blocks_a_list = 128;
  const u64 share = std::max<u64>(shape.iterations / shape.workers, 1);
  const u64 most = std::bit_floor(share);
  const u64 least = std::clamp<u64>(std::max(asked.c, shape.iterations >> 30), 1, most);
  const u64 wanted = std::bit_floor(std::clamp<u64>(share / blocks_a_list, 1, usual));
  return std::max(wanted, std::bit_ceil(least));
}

class cyclic_lists {
 public:
  // Lists of blocks of `block` iterations, a power of two; no more than there are for each worker.
  cyclic_lists(loop_shape shape, u64 block)
      : iterations_(shape.iterations),
        workers_(shape.workers),
        shift_(static_cast<std::uint32_t>(std::countr_zero(block))),
        in_all_(shape.iterations / (block * shape.workers) * block) {}
  cyclic_lists(loop_shape shape, const params& given)
      : cyclic_lists(shape, block_of(given, shape)) {}

  u64 iterations() const { return iterations_; }
  std::uint32_t workers() const { return workers_; }
  u64 block() const { return u64{1} << shift_; }
  u64 length_of(std::uint32_t owner) const {
    if (shift_ == 0) return in_all_ + (owner < rest() ? 1 : 0);
    return in_all_ + partition_of(owner, {rest(), workers_}).size();
  }
  u64 longest() const { return length_of(0); }
  // How many entries each list has in whole rounds of blocks.
  u64 in_whole_rounds() const { return in_all_; }

  u64 blocks_of(std::uint32_t owner) const { return base::ceil_div(length_of(owner), block()); }

  // Entry x of the list, x below its length.
  [[gnu::always_inline]] u64 iteration(std::uint32_t owner, u64 x) const {
    if (x >= in_all_ && shift_ != 0) [[unlikely]]
      return iteration_of_rest(owner, x);
    return (((x >> shift_) * workers_ + owner) << shift_) + (x & (block() - 1));
  }

  // The list's block in which entry x is, and how many of the block's entries lie before it.
  u64 block_with(u64 x) const { return x >> shift_; }
  u64 place_in_block(u64 x) const { return x & (block() - 1); }

 private:
  // The iterations after the whole rounds: a smaller block for each list, so that lists differ by
  // one.
  u64 rest() const { return iterations_ - in_all_ * workers_; }
  [[gnu::noinline]] u64 iteration_of_rest(std::uint32_t owner, u64 x) const {
    return in_all_ * workers_ + partition_of(owner, {rest(), workers_}).begin + (x - in_all_);
  }

  u64 iterations_;
  std::uint32_t workers_;
  std::uint32_t shift_;
  u64 in_all_;  // entries that each list has in whole rounds
};

// The sums, as cost_sums::by_owner() carries them.
class costs_by_owner {
 public:
  // How many numbers there are; 2^64 - 1 for more than can be counted.
  static u64 entries(const cyclic_lists& lists) {
    const u64 each = base::saturating_add(lists.blocks_of(0), 1);
    return base::saturating_mul(each, lists.workers());
  }

  // A loop's costs in the order in which the iterations are dealt, as sum_up() takes them.
  static cost_sums in_dealt_order(const cost_sums& costs, const params& given) {
    return given.order == in_reverse ? costs.reversed() : costs;
  }

  // Makes the sums of one owner. `all` has entries(lists) numbers.
  static void sum_up(const cost_sums& costs, const cyclic_lists& lists, std::uint32_t owner,
                     u64* all) {
    u64* sums = all + first_of(lists, owner);
    sums[0] = 0;
    const u64 length = lists.length_of(owner);
    for (u64 b = 0, x = 0; x < length; ++b) {
      const u64 first = lists.iteration(owner, x);
      const u64 size = std::min(lists.block(), length - x);
      sums[b + 1] = sums[b] + (costs.before(first + size) - costs.before(first));
      x += size;
    }
  }

  // Makes the sums of all owners.
  static void sum_up(const cost_sums& costs, const cyclic_lists& lists, u64* all) {
    for (std::uint32_t owner = 0; owner < lists.workers(); ++owner) {
      sum_up(costs, lists, owner, all);
    }
  }

  costs_by_owner(const cost_sums& costs, const cyclic_lists& lists)
      : costs_(costs), lists_(lists) {}

  bool given() const { return costs_.by_owner() != nullptr; }

  // What the first x entries of the owner's list cost.
  u64 before(std::uint32_t owner, u64 x) const {
    const u64 blocks = costs_.by_owner()[first_of(lists_, owner) + lists_.block_with(x)];
    const u64 place = lists_.place_in_block(x);
    if (place == 0) return blocks;
    const u64 first = lists_.iteration(owner, x - place);
    return blocks + (costs_.before(first + place) - costs_.before(first));
  }

  // Where an owner's sums begin.
  static u64 first_of(const cyclic_lists& lists, std::uint32_t owner) {
    return owner * (lists.blocks_of(0) + 1);
  }

 private:
  const cost_sums& costs_;
  const cyclic_lists& lists_;
};

}  // namespace doall::schedules
