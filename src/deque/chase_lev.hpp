// A work-stealing deque of fixed capacity: its owner pushes and pops at the bottom, thieves take
// from the top.
//
// Papers: Chase & Lev, Dynamic circular work-stealing deque (SPAA 2005), with the C11 orderings
// that Lê, Pop, Cohen & Zappa Nardelli proved (PPoPP 2013, Figure 1). It differs in four ways:
//   - It does not grow: push() returns false, and the owner keeps the item on its stack, as LBS
//     does (section 6).
//   - An item is several words. If a thief reads one while the owner, many operations later, writes
//     another into the same place, it gets a mixture. But then `top` has moved on, the thief's
//     compare-and-swap fails, and it drops the copy.
//   - A thief may look at the item before it decides, and follow pointers in what it sees. So each
//     word is published by itself, mixtures too: (1), (2).
//   - A release at each store of `bottom` from which an item may be read, (4) and (5), where they
//     have one fence in push(). In C++20 a store ends its own thread's release sequence, and a
//     thief may learn of an item from a later pop of another.
//
// State: the items are those at [top, bottom) modulo capacity. Only the owner writes `bottom`.
// `top` only rises, by one for each item that a thief takes, or that the owner takes as the last.
// Callers: owner, one thread at a time; thief, any number.
// Terminates: every operation is wait-free; a thief that loses does not retry by itself.
// Cost: push, stores alone; pop, a fence, and a compare-and-swap for the last item; pop of what was
// stolen, loads alone; steal, a fence and a compare-and-swap.
// Checked by tests/model/model_chase_lev.cpp; README.md has the proof.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/cache_line.hpp"
#include "base/sync.hpp"
#include "deque/theft.hpp"

namespace doall::deque {

// Item: trivially copyable, of whole 64-bit words without padding. Capacity: a power of two.
template <class Item, std::uint32_t Capacity>
class chase_lev {
  static_assert(std::has_single_bit(Capacity));
  static_assert(std::is_trivially_copyable_v<Item> &&
                std::has_unique_object_representations_v<Item> &&
                sizeof(Item) % sizeof(std::uint64_t) == 0);

 public:
  class owner;
  class thief;

 private:
  static constexpr std::size_t words = sizeof(Item) / sizeof(std::uint64_t);
  using image = std::array<std::uint64_t, words>;

  struct place {
    sync::atomic<std::uint64_t> word[words];
  };

  place& at(std::int64_t index) { return places_[static_cast<std::uint64_t>(index) % Capacity]; }

  void write(std::int64_t index, const Item& item) {
    const auto from = std::bit_cast<image>(item);
    place& to = at(index);
    for_each_word([&](std::size_t i) {
      // (1) release; pairs with (2): what the word points to
      to.word[i].store(from[i], sync::release);
    });
  }

  Item read(std::int64_t index) {
    image to;
    const place& from = at(index);
    for_each_word([&](std::size_t i) {
      // (2) acquire; pairs with (1): what the word points to, also if the word is of an item that
      // is not published yet
      to[i] = from.word[i].load(sync::acquire);
    });
    return std::bit_cast<Item>(to);
  }

  // Without a loop, so that an item's words stay in registers.
  template <class Use>
  static void for_each_word(Use use) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (use(I), ...);
    }(std::make_index_sequence<words>());
  }

  alignas(base::apart_bytes) sync::atomic<std::int64_t> bottom_{0};
  alignas(base::apart_bytes) sync::atomic<std::int64_t> top_{0};
  alignas(base::apart_bytes) place places_[Capacity];
};

// The owner's end.
template <class Item, std::uint32_t Capacity>
class chase_lev<Item, Capacity>::owner {
 public:
  explicit owner(chase_lev& of) : of_(&of) {}

  // False when the deque is full: nothing has happened.
  bool push(const Item& item) {
    const std::int64_t bottom = position();
    // (3) acquire; pairs with (18): the thief has read the place that is written now
    if (bottom - of_->top_.load(sync::acquire) >= std::int64_t{Capacity}) return false;
    of_->write(bottom, item);
    // (4) release; pairs with (17): the item's words
    of_->bottom_.store(bottom + 1, sync::release);
    return true;
  }

  // Takes the item that was pushed last. False when there is none, or thieves were faster.
  bool pop(Item& item) {
    if (is_empty()) return false;
    const std::int64_t bottom = position() - 1;
    // (5) release; pairs with (17): the words of the items below
    of_->bottom_.store(bottom, sync::release);
    // (6) seq_cst fence; pairs with (16): if the owner and a thief want the same item, one sees
    // what the other has written
    sync::fence();
    // (7) relaxed; pairs with (18): see (6)
    std::int64_t top = of_->top_.load(sync::relaxed);
    bool mine = top < bottom;
    if (!mine) {
      // (8) seq_cst; pairs with (18): the last item is the owner's or a thief's
      mine = top == bottom &&
             of_->top_.compare_exchange_strong(top, top + 1, sync::seq_cst, sync::relaxed);
      // (9) relaxed; alone: a thief that reads it finds the deque empty, or fails at (18)
      of_->bottom_.store(bottom + 1, sync::relaxed);
    }
    if (mine) item = of_->read(bottom);
    return mine;
  }

  // LBS's deque check, without a fence. True stays so until the next push; false may be out
  // of date.
  bool is_empty() const {
    // (10) relaxed; alone: an old top shows what is gone, and hides nothing
    return of_->top_.load(sync::relaxed) >= position();
  }

  // Whether push() would fail. May be out of date: thieves make room.
  bool is_full() const {
    // (19) relaxed; alone: an old top shows less room than there is
    return position() - of_->top_.load(sync::relaxed) >= std::int64_t{Capacity};
  }

  // The item that was pushed last and not popped; a thief may have taken it. Only the owner
  // writes it, so this is no mixture.
  Item last() const { return of_->read(position() - 1); }

  // Where the next item goes: items pushed from now on lie there or above.
  std::int64_t position() const {
    // (11) relaxed; alone: only the owner writes it
    return of_->bottom_.load(sync::relaxed);
  }

  // Forgets all items, in the child of a fork, where there is no other thread.
  void forget() {
    // (12) relaxed; alone: there is no other thread
    of_->top_.store(position(), sync::relaxed);
  }

 private:
  chase_lev* of_;
};

// A thief's end.
template <class Item, std::uint32_t Capacity>
class chase_lev<Item, Capacity>::thief {
 public:
  explicit thief(chase_lev& of) : of_(&of) {}

  // A hint, which may be out of date.
  bool looks_empty() const {
    // (13) relaxed; alone: a hint; a thief that goes to sleep has had a fence
    const std::int64_t top = of_->top_.load(sync::relaxed);
    // (14) relaxed; alone: as (13)
    return top >= of_->bottom_.load(sync::relaxed);
  }

  // Steals the oldest item, if wants(item) holds. wants() may see a mixture of two items, or one
  // that is long gone: it must survive that. Its answer counts only when the theft succeeds, for
  // then no other thread has touched the item in between.
  template <class Wants>
  theft steal(Item& item, Wants wants) {
    // (15) acquire; pairs with (18): as published; (16) right behind it would do
    std::int64_t top = of_->top_.load(sync::acquire);
    // (16) seq_cst fence; pairs with (6)
    sync::fence();
    // (17) acquire; pairs with (4), (5): the item's words
    if (top >= of_->bottom_.load(sync::acquire)) return theft::empty;
    const Item seen = of_->read(top);
    if (!wants(seen)) return theft::declined;
    // (18) seq_cst; pairs with (3), (7), (8), (15): the item is this thief's, and has been read
    if (!of_->top_.compare_exchange_strong(top, top + 1, sync::seq_cst, sync::relaxed)) {
      return theft::lost_race;
    }
    item = seen;
    return theft::done;
  }

 private:
  chase_lev* of_;
};

}  // namespace doall::deque
