// One worker's way through one loop: it asks the schedule for chunks and, when
// somebody wants a report, counts them and the time they take.
//
// With dynamic,1 next_range() is the price of an iteration: its usual path is
// forced inline, a test and a jump into the schedule. See
// docs/investigations/2026-11-21-the-price-of-an-iteration.md.
#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "team/loop_ring.hpp"

namespace doall::team {

class loop_cursor {
 public:
  // The worker enters the loop, whose ranges it wants in these numbers.
  void begin(loop_slot& slot, std::uint32_t index, const schedules::numbering& numbers = {}) {
    slot_ = &slot;
    which_ = slot.loop.how.which;
    walk_ = {slot.object, {index, 0}, numbers, slot.loop.shape.iterations, {}};
    counted_ = slot.loop.counted != nullptr;
    if (!counted_) return;
    count_ = {};
    entered_ticks_ = handed_ticks_ = base::ticks();
  }

  // The next chunk, perhaps strided; empty when nothing is left, and then not
  // to be called again.
  schedules::chunk next() {
    if (counted_) [[unlikely]]
      return next_counted();
    return which_->next(walk_.object, {walk_.me.index, walk_.me.turn++}, {});
  }

  // The next range without a stride, for doors that can hand on no other: a
  // strided chunk is drained piece by piece. False when nothing is left.
  [[gnu::always_inline]] bool next_range(std::uint64_t* first, std::uint64_t* last) {
    if (counted_ || !walk_.rest.empty()) [[unlikely]]
      return next_piece(first, last);
    return which_->next_range(walk_, first, last);
  }

  // The worker leaves the loop.
  void end() {
    if (!counted_) return;
    count_.inside_ticks = base::ticks() - entered_ticks_;
    slot_->tallies[walk_.me.index] = count_;
  }

 private:
  [[gnu::noinline, gnu::cold]] bool next_piece(std::uint64_t* first, std::uint64_t* last) {
    if (walk_.rest.empty()) walk_.rest = next_counted();
    return walk_.next_piece(first, last);
  }

  [[gnu::noinline, gnu::cold]] schedules::chunk next_counted() {
    const std::uint64_t asked_ticks = base::ticks();
    if (walk_.me.turn != 0) count_.busy_ticks += asked_ticks - handed_ticks_;
    const schedules::chunk given =
        which_->next(walk_.object, {walk_.me.index, walk_.me.turn++}, {});
    if (!given.empty()) {
      count_.iterations += (given.end - given.begin - 1) / given.step + 1;
      count_.chunks[static_cast<int>(given.from)] += 1;
    }
    handed_ticks_ = base::ticks();
    return given;
  }

  loop_slot* slot_ = nullptr;
  const schedules::entry* which_ = nullptr;
  bool counted_ = false;
  schedules::range_walk walk_;
  observe::tally count_;
  std::uint64_t entered_ticks_ = 0;
  std::uint64_t handed_ticks_ = 0;
};

}  // namespace doall::team
