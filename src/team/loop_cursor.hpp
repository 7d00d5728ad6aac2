// One worker's way through one loop: it asks the schedule for chunks and, when
// somebody wants a report, counts them and the time they take.
//
// With dynamic,1 this is the price of an iteration, so the usual path is forced
// inline, and a chunk is read field by field where the schedule wrote it: a copy
// would be made with wider loads than the stores, which stalls the pipeline (it
// took 5 of 15 ns).
#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "team/loop_ring.hpp"

namespace doall::team {

class loop_cursor {
 public:
  // The worker enters the loop.
  void begin(loop_slot& slot, std::uint32_t index) {
    slot_ = &slot;
    me_ = {index, 0};
    rest_ = schedules::nothing_left;
    if (slot.loop.counted != nullptr) {
      count_ = {};
      entered_ticks_ = handed_ticks_ = base::ticks();
    }
  }

  // The next chunk, perhaps strided; empty when nothing is left, and then not
  // to be called again.
  [[gnu::always_inline]] schedules::chunk next() {
    if (slot_->loop.counted != nullptr) [[unlikely]] return next_counted();
    return ask();
  }

  // The next range without a stride, for doors that can hand on no other: a
  // strided chunk is drained piece by piece.
  [[gnu::always_inline]] bool next_range(std::uint64_t& begin, std::uint64_t& end) {
    if (!rest_.empty()) [[unlikely]] return drain(begin, end);
    const schedules::chunk given = next();
    if (given.empty()) return false;
    if (given.step != 1) [[unlikely]] {
      rest_ = given;
      return drain(begin, end);
    }
    begin = given.begin;
    end = given.end;
    return true;
  }

  // The worker leaves the loop.
  void end() {
    if (slot_->loop.counted == nullptr) return;
    count_.inside_ticks = base::ticks() - entered_ticks_;
    slot_->tallies[me_.index] = count_;
  }

 private:
  schedules::chunk ask() {
    return slot_->loop.how.which->next(slot_->object, {me_.index, me_.turn++}, {});
  }

  [[gnu::noinline, gnu::cold]] bool drain(std::uint64_t& begin, std::uint64_t& end) {
    begin = rest_.begin;
    end = begin + 1;
    rest_.begin = base::add_up_to(begin, rest_.step, rest_.end);
    return true;
  }

  [[gnu::noinline, gnu::cold]] schedules::chunk next_counted() {
    const std::uint64_t asked_ticks = base::ticks();
    if (me_.turn != 0) count_.busy_ticks += asked_ticks - handed_ticks_;
    const schedules::chunk given = ask();
    if (!given.empty()) {
      count_.iterations += (given.end - given.begin - 1) / given.step + 1;
      count_.chunks[static_cast<int>(given.from)] += 1;
    }
    handed_ticks_ = base::ticks();
    return given;
  }

  loop_slot* slot_ = nullptr;
  schedules::worker me_;
  schedules::chunk rest_;
  observe::tally count_;
  std::uint64_t entered_ticks_ = 0;
  std::uint64_t handed_ticks_ = 0;
};

}  // namespace doall::team
