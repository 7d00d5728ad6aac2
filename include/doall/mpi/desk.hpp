// A desk: the one object that deals chunks to those that ask it, by a schedule. Rank 0 has one for
// the whole loop; in a tree of dealers (supply.hpp) rank 0 has one that deals blocks to groups of
// nodes, and the head of each group one that deals chunks of these blocks to the group's ranks.
//
// It holds the ordinary schedule objects (parts.hpp), with a worker for each rank. A rank asks by a
// wish and gets a hand of chunks. Nothing here knows MPI: messages.hpp carries wishes and hands,
// tests carry them by threads (README.md).
//
// State: what is not dealt yet, what each rank was dealt and has not run, whether the loop has been
// ended early; and of a group's desk what it asked for above. One mutex guards all of it. A rank's
// last hand says so, and the rank asks no more.
//
// A desk is *settled* when nobody above has anything more for it, and it waits for no answer. Only
// a settled desk gives last hands, and tells a rank that gave the loop up that this is known: so
// nobody above leaves a call while a wish for it is under way.
//
// Exactly once: the schedule deals each iteration once, and the desk hands on all that it is dealt.
// Cost: a lock and a call of the schedule for each chunk.
#pragma once

#include <doall/abi.h>
#include <doall/mpi/hands.hpp>
#include <doall/mpi/parts.hpp>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace doall {
inline namespace v0 {
namespace mpi {
namespace detail {

class desk {
 public:
  // Deals nothing until it is opened. `unbounded`: whatever a rank holds in advance unbalances
  // nothing, as all ranks draw from it, or as it is nobody else's anyway.
  desk(std::uint32_t ranks, bool unbounded)
      : ranks_(ranks), unbounded_(unbounded), of_rank_(ranks) {}
  desk(const desk&) = delete;
  desk& operator=(const desk&) = delete;

  // Both are called before any rank is dealt to, and throw std::invalid_argument.

  // Deals all of the loop.
  void open(const doall_schedule& how, std::uint64_t iterations, const doall_costs* costs) {
    dealt_.emplace(ranks_, how, costs, parts::kind::of_desk);
    dealt_->add({0, iterations, 1});
    left_ = iterations;
  }
  // Deals blocks that come from above.
  void open_for_blocks(const doall_schedule& how, const doall_costs* costs) {
    has_above_ = true;
    dealt_.emplace(ranks_, how, costs, parts::kind::of_group);
  }

  // From now on all ranks get their last hand. Any thread.
  void end() {
    const std::lock_guard lock(mutex_);
    end_early();
  }
  bool was_ended() {
    const std::lock_guard lock(mutex_);
    return ended_;
  }
  bool is_settled() {
    const std::lock_guard lock(mutex_);
    return settled();
  }
  // Whoever deals to this desk is in another call.
  bool is_wrong() {
    const std::lock_guard lock(mutex_);
    return wrong_call_;
  }
  // Iterations that nobody has been dealt.
  std::uint64_t left() {
    const std::lock_guard lock(mutex_);
    return left_;
  }

  // Any thread, for different ranks at the same time. False: there is nothing now, and the wish is
  // to be dealt again, without what the rank has run.
  //
  // A hungry rank gets a chunk at least. What ranks hold in advance is not to unbalance the loop's
  // end, so others get one, perhaps none, only as far as may_hold() says.
  bool deal(std::uint32_t rank, const wish& of, hand& to) {
    const std::lock_guard lock(mutex_);
    to.chunks = 0;
    account& mine = of_rank_[rank];
    mine.last.iterations += of.iterations_run;
    mine.last.elapsed_ns += of.elapsed_ns;
    mine.unfinished -= std::min(mine.unfinished, of.iterations_run);
    unfinished_ -= std::min(unfinished_, of.iterations_run);
    run_ += of.iterations_run;
    if (of.gives_up != 0) end_early();
    to.what = wrong_call_ ? hand::wrong_call : hand::ended;
    if (wrong_call_) return true;
    if (ended_) return of.gives_up == 0 || settled();
    to.what = hand::more;
    const std::uint32_t most = std::min(of.chunks, most_chunks);
    const std::uint64_t enough = left_ / (2 * std::uint64_t{ranks_});
    std::uint64_t held = of.held;
    bool none = left_ == 0;
    while (!none && to.chunks < most &&
           (may_hold(mine, held, enough) || (of.hungry != 0 && to.chunks == 0))) {
      doall_chunk& c = to.chunk[to.chunks];
      none = !dealt_->draw(rank, mine.last, c);
      if (none) break;
      mine.last = {};
      ++to.chunks;
      likely_ = size_of(c);
      held += likely_;
      mine.unfinished += likely_;
      unfinished_ += likely_;
      left_ -= likely_;
      none = left_ == 0;
    }
    if (none && settled()) to.what = hand::last;
    return to.chunks != 0 || !none || settled();
  }

  // What a group's desk asks for above, at that time, by one thread at a time; false: nothing. It
  // asks for a block when half of the last one is dealt. While it has anything to deal it also asks
  // now and then without a need, to learn that the loop was given up.
  bool asks(std::uint64_t now_ns, wish& of) {
    constexpr std::uint64_t looks_after_ns = 5'000'000;
    const std::lock_guard lock(mutex_);
    if (!has_above_ || asked_ || wrong_call_) return false;
    const bool tells = ended_ && !told_;
    const bool wants = !ended_ && !last_ && left_ <= ask_below_;
    const bool looks = !ended_ && left_ != 0 && now_ns - asked_ns_ >= looks_after_ns;
    if (!tells && !wants && !looks) return false;
    of.iterations_run = run_;
    of.chunks = wants ? 1 : 0;
    of.gives_up = tells ? 1 : 0;
    of.hungry = left_ == 0 ? 1 : 0;
    of.held = left_;
    run_ = 0;
    asked_ = true;
    asked_ns_ = now_ns;
    tells_ = tells;
    return true;
  }
  // The answer.
  void take(const hand& given) {
    const std::lock_guard lock(mutex_);
    asked_ = false;
    told_ = told_ || tells_ || given.what == hand::ended;
    last_ = last_ || given.what != hand::more;
    wrong_call_ = given.what == hand::wrong_call;
    if (given.what == hand::ended) end_early();
    if (ended_ || wrong_call_) return;
    ask_below_ = left_ / 2;
    for (std::uint32_t i = 0; i < given.chunks; ++i) {
      dealt_->add(given.chunk[i]);
      left_ += size_of(given.chunk[i]);
      ask_below_ = size_of(given.chunk[i]) / 2;
    }
  }

 private:
  struct account {
    measured last;                 // of its wishes, since it was dealt to
    std::uint64_t unfinished = 0;  // iterations dealt to it and not run, as far as it said
  };

  void end_early() {
    left_ = 0;
    ended_ = true;
  }
  bool settled() const { return !has_above_ || (last_ && !asked_ && (!ended_ || told_)); }

  // Whether a rank may have another chunk in advance. With it, it is to have no more than an even
  // part of all that has not run: under `guided` the first rank would else hold half of a loop for
  // two behind the half that it runs. And beyond its first, it is to hold no more than half of its
  // even part of what nobody was dealt. Chunks are taken to be as long as the last one was.
  bool may_hold(const account& mine, std::uint64_t held, std::uint64_t enough) const {
    if (unbounded_) return true;
    const std::uint64_t even = (unfinished_ + left_) / ranks_;
    return mine.unfinished + std::min(likely_, left_) <= even && (held == 0 || held < enough);
  }

  const std::uint32_t ranks_;
  const bool unbounded_;
  std::mutex mutex_;
  std::optional<parts> dealt_;
  bool ended_ = false;            // early
  std::uint64_t left_ = 0;        // iterations here that nobody has been dealt; 0 once it was ended
  std::uint64_t unfinished_ = 0;  // of all ranks
  std::uint64_t likely_ = 0;      // iterations of the next chunk
  std::vector<account> of_rank_;

  // Of a group's.
  bool has_above_ = false;
  bool asked_ = false;  // a wish is under way
  bool tells_ = false;  // which says that the loop is given up
  bool told_ = false;   // that is known above
  bool last_ = false;   // no more blocks
  bool wrong_call_ = false;
  std::uint64_t run_ = 0;        // iterations that its ranks have run since it asked
  std::uint64_t ask_below_ = 0;  // asks when so many iterations are left
  std::uint64_t asked_ns_ = 0;
};

}  // namespace detail
}  // namespace mpi
}  // namespace v0
}  // namespace doall
