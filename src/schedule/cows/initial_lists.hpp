// The lists with which workers begin in COWS's schedules: each is a list of iterations that is
// computed, never stored (COWS, section III-A). A list is a run of tickets (stealable_run.hpp).
//
//   - assign=block-cyclic, the default if costs are unknown: blocks of neighbouring iterations go
//     round robin (costs_by_owner.hpp), which balances unknown costs. Entry x of owner j's list is
//     ticket j L + x, where L is the longest list's length, so no owner is stored. A reservation
//     ends with its block: it is a range without a stride, which every door can hand on as it is.
//   - assign=cyclic: the paper's, every P-th iteration.
//   - assign=block, the default if costs are known: a block for each worker, of equal cost; without
//     costs, of equally many iterations. Tickets are iterations. Why it is the default:
//     docs/investigations/2026-11-23-blocks-of-equal-cost.md.
//
// A run counts to 2^32. In a loop of 2^32 iterations or more a ticket is several neighbouring
// entries of a list, as many as needed.
//
// Callers: any thread. Cost: O(1), but of() O(log N) for blocks of equal cost.
// Why blocks, and of which length: docs/investigations/2026-11-22-cows-in-blocks.md.
#pragma once

#include <algorithm>

#include "schedule/cows/costs_by_owner.hpp"
#include "schedule/schedule.hpp"
#include "schedule/stealable_run.hpp"

namespace doall::schedules {

// Maps owners to tickets, and tickets to iterations.
class initial_lists {
 public:
  explicit initial_lists(const loop_context& loop)
      : size_shift_(ticket_shift(loop.shape)),
        in_blocks_(is_in_blocks(loop)),
        cyclic_(loop.shape, loop.given),
        per_owner_(tickets_of(cyclic_.longest())),
        blocks_(tickets_of(loop.shape.iterations)),
        stride_(!in_blocks_ && cyclic_.block() == 1 ? workers() : 1) {}

  bool in_blocks() const { return in_blocks_; }
  u64 ticket_size() const { return u64{1} << size_shift_; }
  const cyclic_lists& cyclic() const { return cyclic_; }
  std::uint32_t workers() const { return cyclic_.workers(); }

  // The owner's first list; blocks are cut by these costs, if there are any.
  range of(std::uint32_t owner, const cost_sums& costs = {}) const {
    if (in_blocks_ && costs.total() != 0) {
      const u64 next = u64{owner} + 1;
      return {ticket_with(costs.cut(owner, workers())), ticket_with(costs.cut(next, workers()))};
    }
    if (in_blocks_) return partition_of(owner, {blocks_, workers()});
    const u64 first = owner * per_owner_;
    return {first, first + tickets_of(cyclic_.length_of(owner))};
  }

  // The owner in whose list the ticket is, probably `guess`. Not for blocks.
  std::uint32_t owner_of(u64 ticket, std::uint32_t guess) const {
    if (ticket - guess * per_owner_ < per_owner_) return guess;
    return static_cast<std::uint32_t>(ticket / per_owner_);
  }

  // How many iterations of the owner's list, or of the loop in blocks, lie before the ticket.
  [[gnu::always_inline]] u64 entries_before(u64 ticket, std::uint32_t owner) const {
    if (in_blocks_) return ticket == blocks_ ? cyclic_.iterations() : ticket << size_shift_;
    const u64 tickets = ticket - owner * per_owner_;
    return size_shift_ == 0 ? tickets : entries_of(tickets, owner);
  }

  // How many of these tickets of one list, from the first on, make one chunk.
  [[gnu::always_inline]] u64 side_by_side(range tickets, std::uint32_t guess) const {
    if (in_blocks_ || cyclic_.block() == 1) return tickets.size();
    const std::uint32_t owner = owner_of(tickets.begin, guess);
    const u64 place = cyclic_.place_in_block(entries_before(tickets.begin, owner));
    return std::min(tickets.size(), (cyclic_.block() - place) >> size_shift_);
  }

  // The chunk of some tickets of one list that are side by side.
  [[gnu::always_inline]] chunk chunk_of(range tickets, std::uint32_t guess) const {
    if (in_blocks_) return {entries_before(tickets.begin, 0), entries_before(tickets.end, 0)};
    const std::uint32_t owner = owner_of(tickets.begin, guess);
    const u64 first = entries_before(tickets.begin, owner);
    const u64 others = entries_before(tickets.end, owner) - first - 1;
    const u64 begin = cyclic_.iteration(owner, first);
    // A single iteration has no stride: doors hand it on as it is.
    return {begin, begin + others * stride_ + 1, others == 0 ? 1 : stride_};
  }

  // Chunks of c of these tickets of one list, from the first on, that lie at equal distances.
  struct row {
    u64 count = 0;
    u64 begin = 0;   // iterations
    u64 stride = 0;  // between begins
  };
  [[gnu::always_inline]] row row_of(range tickets, u64 c, std::uint32_t guess) const {
    if (size_shift_ != 0 || tickets.size() < c) return {};
    if (in_blocks_) return {times(tickets.size(), c), tickets.begin, c};
    const std::uint32_t owner = owner_of(tickets.begin, guess);
    const u64 x = tickets.begin - owner * per_owner_;
    const u64 in_whole_rounds = cyclic_.in_whole_rounds();
    if (x >= in_whole_rounds) return {};
    const u64 place = cyclic_.place_in_block(x);
    if (c == cyclic_.block()) {
      if (place != 0) return {};
      const u64 entries = std::min(tickets.size(), in_whole_rounds - x);
      return {times(entries, c), cyclic_.iteration(owner, x), c * workers()};
    }
    const u64 entries = std::min(tickets.size(), cyclic_.block() - place);
    return {times(entries, c), cyclic_.iteration(owner, x), c};
  }

 private:
  static bool is_in_blocks(const loop_context& loop) {
    const u64 asked = loop.given.as<cows_options>().assign;
    return asked == schedules::in_blocks || (asked == 0 && loop.costs.given());
  }

  // How often c goes into so many tickets: no more than a run has.
  static u64 times(u64 tickets, u64 c) {
    return static_cast<std::uint32_t>(tickets) / static_cast<std::uint32_t>(c);
  }

  // Makes tickets so large that a run can count them. Never larger than a block of several
  // iterations (block_of()).
  static std::uint32_t ticket_shift(loop_shape shape) {
    const u64 per_owner_most = std::max<u64>(stealable_run::tickets_most / shape.workers, 1);
    const u64 longest = base::ceil_div(shape.iterations, shape.workers);
    const u64 size = std::max<u64>(base::ceil_div(longest, per_owner_most), 1);
    return static_cast<std::uint32_t>(std::bit_width(size - 1));
  }

  // How many entries the first tickets of the owner's list have. Kept out of the usual path.
  [[gnu::noinline]] u64 entries_of(u64 tickets, std::uint32_t owner) const {
    return std::min(base::saturating_mul(tickets, ticket_size()), cyclic_.length_of(owner));
  }

  // The ticket of a block in which an iteration is. No ticket is in two parts of a loop: where two
  // parts meet, the ticket with that iteration belongs to the second.
  u64 ticket_with(u64 iteration) const {
    return iteration == cyclic_.iterations() ? blocks_ : iteration >> size_shift_;
  }

  u64 tickets_of(u64 iterations) const { return base::ceil_div(iterations, ticket_size()); }

  std::uint32_t size_shift_;  // log2 of a ticket's iterations; a list's last one may have fewer
  bool in_blocks_;
  cyclic_lists cyclic_;
  u64 per_owner_;  // L, in tickets
  u64 blocks_;     // all tickets, if lists are blocks
  u64 stride_;     // between entries that are side by side
};

}  // namespace doall::schedules
