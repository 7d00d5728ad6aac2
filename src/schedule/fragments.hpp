// What affinity-last remembers of a loop: the iterations in each worker's queue, as a bounded
// number of fragments, and what moved in the last run.
//
// Paper: AFS, end of section 4.3, which fears that executing an iteration where it last ran leads
// to "several chunks of a few iterations each". Bounds here:
//   - a queue has at most fragment_list::most fragments, whatever N is;
//   - a worker notes at most move_list::most moves in a run, its largest;
//   - a move that would give either worker too many fragments is not made: its iterations stay with
//     the worker that had them.
// Why that many: a loop of 4,096 iterations, the first half of which cost ten times the others,
// then moves 900 in its first run and at most 4 in its second with up to 16 workers. With 64
// workers and 100,000 iterations later runs still move 37 % of what the first did, and with half as
// many fragments 63 % (virtual time).
//
// Invariant: the queues of a loop are a partition of its iterations. The even partition is one, and
// each step hands one range from one queue to another.
//
// State in memory: the loop that it is about, and for each worker a queue, written only when all
// workers have left, and its moves, written by the worker alone. All of it is plain: fork and join
// of the team order it. Cost: O(most) for each operation.
// How the bound was chosen: docs/investigations/2026-11-22-fragments.md.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "schedule/schedule.hpp"

namespace doall::schedules {

// Disjoint ranges in increasing order, no two of them adjacent. All zero: none.
class fragment_list {
 public:
  static constexpr std::uint32_t most = 32;

  fragment_list() = default;
  explicit fragment_list(range block) { insert(block); }

  const range* begin() const { return piece_; }
  const range* end() const { return piece_ + count_; }
  u64 size() const { return size_; }  // iterations

  // The iterations after the first `gone` < size(): at most `at_most`, and to the end of their
  // fragment.
  range cut(u64 gone, u64 at_most) const {
    const range* at = piece_;
    for (; gone >= at->size(); ++at) gone -= at->size();
    const u64 begin = at->begin + gone;
    return {begin, base::add_up_to(begin, at_most, at->end)};
  }

  // Takes the range out of the fragment that holds it. If none does, or there would be too many
  // fragments, changes nothing and returns false.
  bool remove(range what) {
    for (const range& p : *this) {
      if (what.begin < p.begin || p.end < what.end) continue;
      const range left{p.begin, what.begin};
      const range right{what.end, p.end};
      if (!replace(&p, &p + 1, {left, right})) return false;
      size_ -= what.size();
      return true;
    }
    return false;
  }

  // Adds a range of which it holds nothing. If there would be too many fragments, changes nothing
  // and returns false.
  bool insert(range what) {
    const range* first = std::find_if(begin(), end(), [&](range p) { return p.end >= what.begin; });
    const range* last = first;
    range joined = what;
    for (; last != end() && last->begin <= what.end; ++last) {
      joined = {std::min(joined.begin, last->begin), std::max(joined.end, last->end)};
    }
    if (!replace(first, last, {joined})) return false;
    size_ += what.size();
    return true;
  }

 private:
  // Replaces [first, last) of the list by the ranges of `by` that are not empty.
  bool replace(const range* first, const range* last, std::initializer_list<range> by) {
    std::array<range, most + 2> next;
    auto* past = std::copy(begin(), first, next.data());
    past = std::copy_if(by.begin(), by.end(), past, [](range s) { return s.size() != 0; });
    past = std::copy(last, end(), past);
    if (past - next.data() > most) return false;
    std::copy(next.data(), past, piece_);
    count_ = static_cast<std::uint32_t>(past - next.data());
    return true;
  }

  u64 size_ = 0;
  std::uint32_t count_ = 0;
  range piece_[most] = {};
};

// Iterations that a thief took out of a victim's queue and ran.
struct move {
  range what;
  std::uint32_t victim;
};

// The largest moves of one thief in one run, the largest first.
class move_list {
 public:
  static constexpr std::uint32_t most = fragment_list::most;

  // How many were made in this run.
  std::uint32_t count(u64 run) const { return run == run_ ? count_ : 0; }
  const move& operator[](std::uint32_t i) const { return move_[i]; }

  void add(u64 run, const move& made) {
    if (run != run_) {
      run_ = run;
      count_ = 0;
    }
    std::uint32_t at = 0;
    while (at < count_ && !continues(move_[at], made)) ++at;
    if (at < count_) {
      move_[at].what.end = made.what.end;
    } else if (count_ < most) {
      move_[count_++] = made;
    } else if (move_[--at].what.size() < made.what.size()) {
      move_[at] = made;
    } else {
      return;
    }
    for (; at > 0 && move_[at - 1].what.size() < move_[at].what.size(); --at) {
      std::swap(move_[at - 1], move_[at]);
    }
  }

 private:
  static bool continues(const move& earlier, const move& made) {
    return earlier.victim == made.victim && earlier.what.end == made.what.begin;
  }

  u64 run_ = 0;
  std::uint32_t count_ = 0;
  move move_[most] = {};
};

// The memory, all zero at first: this and behind it, contiguous, one for each worker.
struct alignas(base::apart_bytes) loop_fragments {
  struct about {
    u64 runs = 0;               // runs begun, finished or not
    u64 last_iterations = 0;    // of the last run
    u64 changes = 0;            // runs in a row with another number than the one before
    u64 iterations = 0;         // of which the queues are a partition
    std::uint32_t workers = 0;  // how many queues there are; 0: none yet
  };
  struct alignas(base::apart_bytes) of_worker {
    sync::plain<fragment_list> queue;
    alignas(base::apart_bytes) sync::plain<move_list> moves;
  };

  sync::plain<about> loop;

  of_worker& at(std::uint32_t w) { return reinterpret_cast<of_worker*>(this + 1)[w]; }

  static std::size_t bytes(std::uint32_t workers) {
    return sizeof(loop_fragments) + workers * sizeof(of_worker);
  }
};

}  // namespace doall::schedules
