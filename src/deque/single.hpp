// LBS's own deque: it never holds more than one task descriptor, so it is one word.
//
// Paper: LBS, sections 3 and 6. A worker pushes only when it finds its deque empty, hence "each
// deque will have at most one TD at all times". The paper's descriptor also names the code and its
// frame. Here the word belongs to one loop, whose code and frame every thief knows: what is left is
// a run of iterations, with numbers that fit in 32 bits. Nested loops need the general deque
// (chase_lev.hpp).
//
// State: a run [first, end) in one word; first == end is empty, such as zero.
//   - Only the owner makes an empty word full: by push(), after it has found it empty.
//   - A full word changes by a read-modify-write alone. The owner leaves the rear or nothing there
//     (pop_part, pop), a thief leaves nothing (steal). The thread that changes it gets what it
//     removed.
//
// Exactly once: in the modification order of the word each run that is pushed is followed by steps
// that each give a part of it to one worker, until it is empty. Nothing there is overwritten: an
// owner that reads "empty" has not read an old value, for its last push came before, and no other
// thread makes the word full.
// The same run may come back, when its owner has popped it and pushes it again, or in the next
// loop. That does no harm (ABA): the word is the whole descriptor, and a thread that swaps one
// value for another has met just that value, whichever push it was of.
//
// Orders: all relaxed. A read-modify-write finds the newest value under any order, and the word
// contains everything, so it has nothing to publish. What iterations read was made visible to every
// worker when it was released into the loop. What they write is made visible by its join. There is
// no order between two iterations of a parallel loop.
//
// Callers: owner, one thread at a time; thief, any number, the owner too. A thief must have left
// the loop before the word serves another loop: the join waits for it.
// Terminates: every operation is wait-free. pop_part needs no second try, for the only change that
// can come in its way is a theft, which leaves nothing.
// Cost: is_empty, a load; push, a store; the others, one read-modify-write, which they omit when
// the word is empty. No fence.
// Checked by tests/model/model_single.cpp; README.md says why each order is enough.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/sync.hpp"
#include "deque/theft.hpp"

namespace doall::deque {

class single {
 public:
  using word = sync::atomic<std::uint64_t>;

  // LBS's task descriptor: the iterations from `first` to below `end`.
  struct run {
    std::uint32_t first = 0;
    std::uint32_t end = 0;

    std::uint32_t size() const { return end - first; }
    bool empty() const { return first == end; }
    bool operator==(const run&) const = default;
  };

  class owner;
  class thief;

 private:
  static std::uint64_t pack(run of) { return std::uint64_t{of.end} << 32 | of.first; }
  static run unpack(std::uint64_t bits) {
    return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
  }
};

class single::owner {
 public:
  explicit owner(word& of) : of_(&of) {}

  // LBS's deque check. True stays so until the next push; false may be out of date.
  bool is_empty() const {
    // (1) relaxed; alone: a word that looks empty to its owner is empty
    return unpack(of_->load(sync::relaxed)).empty();
  }

  // Called when this owner has found it empty, or before any other thread looks at the word.
  void push(run all) {
    // (2) relaxed; alone: iterations need no publication
    of_->store(pack(all), sync::relaxed);
  }

  // Takes everything; empty if thieves were faster.
  run pop() { return pop_part(std::numeric_limits<std::uint32_t>::max()); }

  // LBS's pop-half (footnote 4), in one transaction: takes the first `keep` iterations, at least 1,
  // or all if there are no more; the others stay. Empty if thieves were faster.
  run pop_part(std::uint32_t keep) {
    // (3) relaxed; alone: a guess for (4), which decides
    std::uint64_t bits = of_->load(sync::relaxed);
    const run all = unpack(bits);
    if (all.empty()) return {};
    const run mine = {all.first, all.first + std::min(keep, all.size())};
    const run rest = {mine.end, all.end};
    // (4) relaxed; alone: the word is all that is communicated
    const bool met = of_->compare_exchange_strong(bits, pack(rest), sync::relaxed, sync::relaxed);
    return met ? mine : run{};
  }

 private:
  word* of_;
};

class single::thief {
 public:
  explicit thief(word& of) : of_(&of) {}

  // A hint, which may be out of date.
  bool looks_empty() const {
    // (5) relaxed; alone: a hint
    return unpack(of_->load(sync::relaxed)).empty();
  }

  // Steals everything. Never declines.
  theft steal(run& all) {
    if (looks_empty()) return theft::empty;
    // (6) relaxed; alone: as (4)
    const run taken = unpack(of_->exchange(pack({}), sync::relaxed));
    if (taken.empty()) return theft::lost_race;
    all = taken;
    return theft::done;
  }

 private:
  word* of_;
};

}  // namespace doall::deque
