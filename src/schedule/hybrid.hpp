// hybrid: every worker first runs the partition with its own number, then others in an order of its
// own, as long as some are unclaimed. Then it steals half of what another has left.
//
// Paper: hybrid, sections III and IV. A loop has R partitions, P rounded up to a power of two
// by default, claimed as claims.hpp has it. With even load and R = P that is static's
// assignment; each time the loop runs with the same uneven load, much of it.
//   - The partitions are cut as evenly as N allows, [ceil(r N / R), ceil((r + 1) N / R)), so
//     with R = P they are static's. If N < R, some are empty: they are claimed
//     and skipped.
//   - Inside a partition chunks are as even as it allows, of at most min(2048, N / 8P)
//     iterations (section V), or as many as are given, at least one.
//   - `parts` is rounded up to a power of two, and no more than 8 flags lie in a worker's line:
//     R <= 8P. If R < P, worker w begins as w mod R.
//   - With `costs`, and a loop that has some, partitions are cut at equal cost, and so are their
//     chunks, which are as many as without: what a thief takes, the back half of them, is half of
//     the cost. A chunk then costs its even share of all costs, or one iteration more, and has as
//     many iterations as that takes. (The paper has no costs.)
//
// Where it differs from the paper, which has a deque of frames for each worker:
//   - A thief does not divide and conquer: it takes the back half, rounded up, of what is left
//     of the partition that its victim has in hand, and can be stolen from that in its turn.
//   - A frame is not stolen. An idle worker that finds an unclaimed partition r begins a frame
//     {0, r} there, as a worker with that number would if it came now; Lemma 2 holds for any set of
//     frames (claims.hpp). So no worker leaves while a partition is unclaimed. The paper's thief
//     likewise takes the frame, the oldest in the deque, before any part of a partition, and claims
//     on in its victim's order.
//   - The victim is the first in a round from the thief's own number on, not a random one: under
//     the same load the same thief steals from the same worker, which is what the schedule is for;
//     and only a round can tell that nothing is left.
//
// hybrid-published, below, is nearer to the paper in the last two: frames are stolen, and no others
// begin; the round begins at a random worker. So all frames together claim every partition (Lemma
// 2), and a frame is in its worker's line, or in the hand of who claims by it. An arriving worker
// is the paper's thief that copies the frame it finds; the frame it found stays. What differs is
// the first point alone. It is there to compare with, in `doall paper hybrid`.
//
// State: per worker, in its line, flags (in `tagged`), a run of tickets (stealable_run.hpp) and
// its frame; hybrid-published's draws. A ticket is a chunk: the loop has R T of them, T a
// partition, and ticket j is [ceil(j N / R T), ceil((j + 1) N / R T)), or the same of the cost, so
// partition r is tickets [r T, (r + 1) T). If that would be more tickets than a run can count, T is
// less. A line's words are brought up to date by their worker; before that there is nothing in it
// to be stolen, and its flags need no such care.
//
// Exactly once: a partition's tickets come into a run when its flag is set, once (Lemma 1), and
// leave it as stealable_run.hpp has it. Complete: Lemma 2, and a worker runs what it holds.
// Terminates: a worker gets an empty chunk only after a round in which every partition was claimed
// and every run empty. It does not see what another worker carries from a flag or a run to its own
// run at that instant: at most a partition, which its new owner runs.
//
// Cost: own chunk: one fetch_add on a line that only thieves share, and the cut; a claim: a
// compare-and-swap, at most lg R failed ones before it; idle: a look at P lines. With costs the cut
// is two bisections, O(log N).
#pragma once

#include <algorithm>
#include <bit>

#include "base/rng.hpp"
#include "schedule/claims.hpp"
#include "schedule/schedule.hpp"
#include "schedule/stealable_run.hpp"

namespace doall::schedules {

enum partition_cut : u64 { at_equal_number = 1, at_equal_cost };

enum class hybrid_form : std::uint8_t { ours, published };

template <hybrid_form Form>
class hybrid_of {
 public:
  struct options {
    u64 chunk = 0;
    u64 parts = 0;
    u64 costs = 0;  // of enum partition_cut
  };

  // 8P of the largest team, which has 1,024 workers.
  static constexpr u64 parts_most = 8192;

  static constexpr description about = [] {
    description made = {
        .name = "hybrid",
        .paper = "hybrid",
        .summary =
            "own partition first, then others in an order of its own; then half of another's",
        .parameters = {{.key = "chunk",
                        .positional = true,
                        .meaning = "most iterations a chunk; default: the less of 2048 and N/8P",
                        .iterations = true},
                       {.key = "parts",
                        .meaning =
                            "partitions, rounded up to a power of two, at most 8P; default P",
                        .most = parts_most},
                       {.key = "costs",
                        .meaning = "partitions and chunks of equal cost, where costs are given; "
                                   "default: of equal number",
                        .words = {"no", "yes"},
                        .default_word = "no",
                        .alone = true}},
        .properties = uses_costs | keeps_affinity,
        .costs_if = 2,
    };
    constexpr description published = {
        .name = "hybrid-published",
        .paper = "hybrid",
        .summary = "hybrid as the paper has it: victims are random, and frames are stolen"};
    if (Form == hybrid_form::published) {
      made.name = published.name;
      made.summary = published.summary;
    }
    return made;
  }();

  explicit hybrid_of(const loop_context& loop)
      : workers_(loop.shape.workers),
        parts_(parts_of(loop)),
        per_part_(tickets_a_part(loop, parts_)),
        tickets_{loop.shape.iterations, parts_ * per_part_},
        lines_(loop.lines),
        epoch_(loop.epoch) {
    if (given(loop).costs != at_equal_cost) return;
    if (loop.costs.given() && loop.costs.total() != 0) costs_ = loop.costs;
  }

  chunk next(worker w, feedback) {
    arrive(w.index);
    for (;;) {
      const range own = run_of(w.index).take();
      const chunk c = own.size() != 0 ? chunk_of(own.begin) : chunk{};
      if (!c.empty()) [[likely]]
        return c;
      if (own.size() != 0) continue;  // an empty part of the loop
      const found_part found = find_more(w.index);
      if (found.tickets.size() == 0) return nothing_left;
      run_of(w.index).put({found.tickets.begin + 1, found.tickets.end});
      chunk first = chunk_of(found.tickets.begin);
      if (first.empty()) continue;
      first.from = found.owner == w.index ? origin::own : origin::stolen;
      first.victim = found.owner;
      return first;
    }
  }

  std::uint32_t parts() const { return parts_; }

  // The worker's failed claims so far. Any thread may call it; a hint while the worker works.
  u64 failed_claims(std::uint32_t w) const {
    if (!is_ready(w)) return 0;
    // (1) relaxed; alone: a counter
    return failed_of(w).load(sync::relaxed);
  }

 private:
  static constexpr u64 grain_most = 2048;
  static constexpr u64 grains_a_worker = 8;

  struct line_words {
    worker_line* lines;
    sync::atomic<u64>& operator()(std::uint32_t k) const { return lines[k].tagged; }
  };
  using flags = tagged_flags<line_words>;

  // Tickets of a partition that was the owner's; none: nothing was found.
  struct found_part {
    range tickets{};
    std::uint32_t owner = 0;
  };

  static options given(const loop_context& loop) { return loop.given.as<options>(); }

  static std::uint32_t parts_of(const loop_context& loop) {
    const u64 most = std::bit_floor(u64{loop.shape.workers} * flags::per_word);
    const u64 wanted = given(loop).parts == 0 ? loop.shape.workers : given(loop).parts;
    return static_cast<std::uint32_t>(std::bit_ceil(std::min(wanted, most)));
  }

  static std::uint32_t tickets_a_part(const loop_context& loop, std::uint32_t parts) {
    const u64 n = loop.shape.iterations;
    const u64 usual = std::min(grain_most, n / grains_a_worker / loop.shape.workers);
    const u64 grain = std::max<u64>(given(loop).chunk != 0 ? given(loop).chunk : usual, 1);
    const u64 wanted = base::ceil_div(base::ceil_div(n, parts), grain);
    return static_cast<std::uint32_t>(
        std::clamp<u64>(wanted, 1, stealable_run::tickets_most / parts));
  }

  stealable_run run_of(std::uint32_t w) const { return stealable_run(lines_[w].word[0]); }
  sync::atomic<u64>& frame_of(std::uint32_t w) const { return lines_[w].word[1]; }
  sync::atomic<u64>& failed_of(std::uint32_t w) const { return lines_[w].word[2]; }
  sync::atomic<u64>& draws_of(std::uint32_t w) const { return lines_[w].word[3]; }

  chunk chunk_of(u64 ticket) const {
    if (costs_.given()) {
      return {costs_.cut(ticket, tickets_.workers), costs_.cut(ticket + 1, tickets_.workers)};
    }
    const range cut = partition_of(static_cast<std::uint32_t>(ticket), tickets_);
    return {cut.begin, cut.end};
  }

  // Only the worker itself initialises its line, so it never finds another doing so.
  void arrive(std::uint32_t w) const {
    lines_[w].touch.ensure(epoch_, [&] {
      run_of(w).put({});
      keep_frame(w, {.i = 0, .w = w & (parts_ - 1)});
      // (2) relaxed; alone: first_touch publishes it
      failed_of(w).store(0, sync::relaxed);
      if constexpr (Form == hybrid_form::published) {
        // (6) relaxed; alone: as (2)
        draws_of(w).store(base::rng(epoch_ ^ u64{w} << 32).next(), sync::relaxed);
      }
    });
  }

  static u64 word_of(claim_frame frame) { return u64{frame.i} << 32 | frame.w; }
  static claim_frame frame_in(u64 word) {
    return {.i = static_cast<std::uint32_t>(word >> 32), .w = static_cast<std::uint32_t>(word)};
  }

  void keep_frame(std::uint32_t w, claim_frame frame) const {
    // (3) relaxed; alone: its worker's alone; or, published, (7) leaves nothing in it for others
    frame_of(w).store(word_of(frame), sync::relaxed);
  }

  // Takes a worker's frame out of its line.
  claim_frame take_frame(std::uint32_t w) const {
    if constexpr (Form == hybrid_form::ours) {
      // (4) relaxed; alone: as (3); w is the worker itself
      return frame_in(frame_of(w).load(sync::relaxed));
    } else {
      // (7) relaxed; alone: one taker gets the frame, which is all that is communicated
      return frame_in(frame_of(w).exchange(word_of({.i = parts_, .w = w}), sync::relaxed));
    }
  }

  bool is_ready(std::uint32_t w) const {
    return lines_[w].touch.look(epoch_) == base::first_touch::state::ready;
  }

  // For a worker that has no ticket. Kept out of the usual path.
  [[gnu::noinline]] found_part find_more(std::uint32_t me) const {
    const flags all({lines_}, workers_, epoch_);
    if (const found_part claimed = claim_for(me, take_frame(me), all);
        claimed.tickets.size() != 0) {
      return claimed;
    }
    if constexpr (Form == hybrid_form::published) return steal_from_any(me, all);
    std::uint32_t near = me;
    do {
      for (std::uint32_t part = near; part < parts_; part += workers_) {
        if (all.is_claimed(part)) continue;
        const found_part claimed = claim_for(me, {.i = 0, .w = part}, all);
        if (claimed.tickets.size() != 0) return claimed;
      }
      if (near != me && is_ready(near)) {
        const range half = run_of(near).cut();
        if (half.size() != 0) return {half, near};
      }
      near = after(near);
    } while (near != me);
    return {};
  }

  std::uint32_t after(std::uint32_t w) const { return w + 1 == workers_ ? 0 : w + 1; }

  // In the published form: from a random worker on. What is oldest there goes first, its frame.
  found_part steal_from_any(std::uint32_t me, const flags& all) const {
    std::uint32_t near = draw(me);
    for (std::uint32_t looks = 0; looks < workers_; ++looks, near = after(near)) {
      if (near == me || !is_ready(near)) continue;
      // (8) relaxed; alone: a hint; (7) decides
      const bool has_frame = !frame_in(frame_of(near).load(sync::relaxed)).ended(parts_);
      if (has_frame) {
        const found_part claimed = claim_for(me, take_frame(near), all);
        if (claimed.tickets.size() != 0) return claimed;
      }
      const range half = run_of(near).cut();
      if (half.size() != 0) return {half, near};
    }
    return {};
  }

  std::uint32_t draw(std::uint32_t me) const {
    // (9) relaxed; alone: its worker's alone
    base::rng dice(draws_of(me).load(sync::relaxed));
    const u64 drawn = dice.next();
    // (10) relaxed; alone: as (9)
    draws_of(me).store(drawn, sync::relaxed);
    return static_cast<std::uint32_t>(drawn % workers_);
  }

  // What the frame claims next, which the worker goes on with; nothing: it has ended.
  found_part claim_for(std::uint32_t me, claim_frame frame, const flags& all) const {
    const claim next = next_claim(frame, parts_, all);
    keep_frame(me, frame);
    if (next.failed != 0) {
      // (5) relaxed; alone: as (1)
      failed_of(me).fetch_add(next.failed, sync::relaxed);
    }
    if (!next.done) return {};
    const u64 first = u64{next.partition} * per_part_;
    return {{first, first + per_part_}, next.partition % workers_};
  }

  std::uint32_t workers_;
  std::uint32_t parts_;     // R
  std::uint32_t per_part_;  // T
  loop_shape tickets_;      // whose `workers` are tickets
  cost_sums costs_;         // not given: chunks are cut by number
  worker_line* lines_;
  u64 epoch_;
};

using hybrid = hybrid_of<hybrid_form::ours>;
using hybrid_published = hybrid_of<hybrid_form::published>;

}  // namespace doall::schedules
