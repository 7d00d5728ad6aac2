// One worker's way through one loop: it asks the schedule for chunks and, if a report is wanted,
// counts them and the time they take.
//
// With dynamic,1 every iteration costs a next_range(): its usual path is forced inline, a test and
// a jump into the schedule. See docs/investigations/2026-11-21-the-price-of-an-iteration.md.
#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "loops/loop_ring.hpp"
#include "observe/trace.hpp"
#include "observe/waits.hpp"

namespace doall::team {

class loop_cursor : private schedules::range_walk {
 public:
  // What the door takes: ranges, by next_range() alone (by_pieces) or by next_plain_range() too
  // (plain); or chunks, by next_chunk().
  enum class pace : std::uint8_t { by_pieces, plain, chunks };

  // Enters the loop. The worker gets its ranges in these numbers.
  void begin(loop_slot& slot, std::uint32_t index, const schedules::numbering& numbers = {},
             pace at = pace::plain) {
    slot_ = &slot;
    run_ = slot.first.run;
    object = slot.object;
    me = {index, 0};
    source = numbers;
    iterations = slot.first.iterations;
    rest = schedules::nothing_left;
    otherwise = at == pace::chunks ? odd_chunk : odd_range;
    keep_last = !slot.first.monotonic;
    kept_last = false;
    planned_turns = 0;
    finished_ = false;
    last_in_hand_ = false;
    counted_ = slot.first.counted != nullptr;
    timed_ = slot.first.timed;
    plain_ = usually_plain_ = at == pace::plain && !timed_;
    if (!timed_ && !counted_) return;
    count_ = {};
    count_.timed = timed_;
    if (counted_) count_.lane = observe::trace::lane_here();
    last_size_ = 0;
    recorded_ = counted_ && slot.samples != nullptr ? slot.samples->costs.get() : nullptr;
    count_.entered_ticks = entered_ticks_ = handed_ticks_ = base::ticks();
  }

  // For a worker that has all of its part already, or was not let into the loop: nothing is left,
  // and end() has nothing to do.
  void begin_drained() {
    iterations = 0;
    rest = schedules::nothing_left;
    otherwise = odd_range;
    keep_last = kept_last = false;
    finished_ = true;
    last_in_hand_ = counted_ = timed_ = false;
    plain_ = usually_plain_ = false;
  }

  // For the one worker of a team, that of a loop without a slot: it gets all as one range.
  void begin_whole(const schedules::numbering& numbers, std::uint64_t all) {
    begin_drained();
    source = numbers;
    iterations = all;
    rest = {0, all, 1};
  }

  // The worker has this as its first chunk: the opener drew it before the others came. After
  // begin(), of a loop that is not timed.
  void begin_with(const schedules::chunk& first) {
    rest = first;
    me.turn = 1;
    finished_ = rest.empty() || is_final(rest);
    plain_ = false;
  }

  // Gets the next chunk: first, first + step, ... below last, in the source's numbers, whose
  // increment is 1. False when nothing is left; do not call it again then.
  bool next_chunk(std::uint64_t* first, std::uint64_t* last, std::uint64_t* step) {
    if (timed_) [[unlikely]] {
      rest = next_timed();
      if (!odd_chunk(*this, first, last)) return false;
    } else if (!run_->next_range(*this, first, last)) {
      return false;
    }
    *step = rest.step;
    if (rest.step != 1) rest.step = 1;  // next_range() does not write it if it is 1
    return true;
  }

  // Gets the next range without a stride, for doors that can hand on no other. False when nothing
  // is left.
  bool next_range(std::uint64_t* first, std::uint64_t* last) {
    return plain_ ? next_plain_range(first, last) : next_by_pieces(first, last);
  }

  // The loop's bound, in the numbers that the worker gets.
  std::uint64_t bound() const { return source.last; }

  // From one iteration to the next, in the source's numbers; of a loop that the worker is in.
  std::uint64_t increment() const {
    const auto of_cell = static_cast<std::int64_t>(source.increment);
    return static_cast<std::uint64_t>(of_cell / static_cast<std::int64_t>(slot_->first.cell));
  }

  // From now on the door asks by next_range() alone. Before the first range.
  void go_by_pieces() { plain_ = usually_plain_ = false; }

  // The same in two steps, for a door that must check more when the loop is not plain.
  bool is_plain() const { return plain_; }
  [[gnu::always_inline]] bool next_plain_range(std::uint64_t* first, std::uint64_t* last) {
    return run_->next_range(*this, first, last);
  }

  // The worker leaves the loop.
  void end() {
    if (!counted_) return;
    count_.left_ticks = base::ticks();
    count_.inside_ticks = count_.left_ticks - entered_ticks_;
    slot_->tallies[me.index] = count_;
  }

 private:
  // Hands on a chunk that is strided, or the loop's last, whole.
  static bool odd_chunk(range_walk& walk, std::uint64_t* first, std::uint64_t* last) {
    if (walk.rest.empty()) return false;
    *first = walk.value_of(walk.rest.begin);
    *last = walk.value_of(walk.rest.end);
    return true;
  }

  // Goes on by pieces until the chunk is drained, then perhaps as usual again: a worker that has
  // met the loop's last chunk may still have much to steal.
  static bool odd_range(range_walk& walk, std::uint64_t* first, std::uint64_t* last) {
    auto& self = static_cast<loop_cursor&>(walk);
    self.plain_ = false;
    self.finished_ = self.rest.empty() || self.is_final(self.rest);
    return self.next_by_pieces(first, last);
  }

  [[gnu::noinline, gnu::cold]] bool next_by_pieces(std::uint64_t* first, std::uint64_t* last) {
    while (!next_piece(first, last)) {
      if (finished_) return hand_last(first, last);
      rest = timed_ ? next_timed() : run_->next(object, {me.index, me.turn++}, {});
      finished_ = rest.empty() || (!timed_ && is_final(rest));
    }
    if (rest.empty() && !finished_) plain_ = usually_plain_;
    return true;
  }

  // Whether the worker will get no other chunk, so that it need not ask: that would be one more
  // locked addition to a counter that the others want. A monotonic schedule deals a worker nothing
  // behind the loop's end.
  bool is_final(const schedules::chunk& given) const {
    return !keep_last && given.end == iterations && given.step == 1;
  }

  // Hands on the last iteration, if it was kept. Called once more when that has run.
  bool hand_last(std::uint64_t* first, std::uint64_t* last) {
    const bool handing = last_piece(first, last);
    if (counted_ && timed_) {
      const std::uint64_t now_ticks = base::ticks();
      if (last_in_hand_) {
        count_.busy_ticks += observe::waits::leave_out(now_ticks - handed_ticks_);
        trace({iterations - 1, iterations, 1, last_.from}, now_ticks);  // one, or a cell
      }
      last_in_hand_ = handing;
      handed_ticks_ = now_ticks;
    }
    return handing;
  }

  [[gnu::noinline, gnu::cold]] schedules::chunk next_timed() {
    const std::uint64_t asked_ticks = base::ticks();
    const std::uint64_t elapsed_ticks = observe::waits::leave_out(asked_ticks - handed_ticks_);
    if (last_size_ != 0) {
      count_.busy_ticks += elapsed_ticks;
      if (recorded_ != nullptr) record(last_, elapsed_ticks);
      trace(last_, asked_ticks);
    }
    const schedules::chunk given =
        run_->next(object, {me.index, me.turn++}, {last_size_, static_cast<double>(elapsed_ticks)});
    last_ = given;
    last_size_ = given.size();
    handed_ticks_ = base::ticks();
    if (counted_ && last_size_ != 0) count(given);
    return given;
  }

  // Calls see() for the iterations that a chunk stands for, of a loop that is counted: with the
  // chunk, or with one for each cell if there are others between them.
  template <class See>
  void in_iterations(const schedules::chunk& dealt, See see) const {
    const std::uint64_t cell = slot_->first.cell;
    if (cell == 1) return see(dealt);
    const auto iterations_of = [&](std::uint64_t begin, std::uint64_t end) {
      schedules::chunk all = dealt;
      all.begin = begin * cell;
      all.end = end == iterations ? slot_->loop.shape.iterations : end * cell;
      all.step = 1;
      see(all);
    };
    if (dealt.step == 1) return iterations_of(dealt.begin, dealt.end);
    for (std::uint64_t i = 0; i < dealt.size(); ++i) {
      const std::uint64_t at = dealt.begin + i * dealt.step;
      iterations_of(at, at + 1);
    }
  }

  void record(const schedules::chunk& ran, std::uint64_t elapsed_ticks) const {
    const std::uint64_t parts = ran.step == 1 ? 1 : ran.size();
    in_iterations(ran, [&](const schedules::chunk& all) {
      recorded_->add(all, slot_->first.cell == 1 ? elapsed_ticks : elapsed_ticks / parts);
    });
  }

  // A chunk that has run until now.
  void trace(const schedules::chunk& ran, std::uint64_t now_ticks) const {
    if (count_.lane == 0) return;
    const std::uint64_t cell = slot_->first.cell;
    const schedules::numbering& numbers = cell == 1 ? source : slot_->loop.source;
    const auto number_of = [&](std::uint64_t i) { return numbers.first + i * numbers.increment; };
    std::uint64_t last = (ran.begin + (ran.size() - 1) * ran.step) * cell;
    std::uint64_t step = ran.step * cell;
    if (cell != 1 && ran.step == 1) {
      in_iterations(ran, [&](const schedules::chunk& all) { last = all.end - 1; });
      step = 1;
    }
    observe::trace::add_chunk(
        observe::look_of(*slot_->first.counted), me.index,
        {number_of(ran.begin * cell), number_of(last), step * numbers.increment}, ran.from,
        handed_ticks_, now_ticks);
  }

  void count(const schedules::chunk& given) {
    count_.chunks[static_cast<int>(given.from)] += 1;
    const bool compares = slot_->samples != nullptr && slot_->samples->compares;
    in_iterations(given, [&](const schedules::chunk& all) {
      count_.iterations += all.size();
      if (!compares) return;
      const auto found = slot_->samples->mark(me.index, all);
      count_.stay.compared += found.compared;
      count_.stay.stayed += found.stayed;
    });
    if (!compares) return;
    // Marking is the report's own cost: count its time neither as the program's nor as the
    // schedule's.
    const std::uint64_t marked_ticks = base::ticks();
    entered_ticks_ += marked_ticks - handed_ticks_;
    count_.marking_ticks += marked_ticks - handed_ticks_;
    handed_ticks_ = marked_ticks;
  }

  loop_slot* slot_ = nullptr;
  const schedules::operations* run_ = nullptr;
  bool plain_ = true;          // not going by pieces
  bool usually_plain_ = true;  // a timed loop is not
  bool finished_ = false;      // the schedule has no more chunks
  bool counted_ = false;
  bool timed_ = false;                         // chunk by chunk
  bool last_in_hand_ = false;                  // the kept last iteration is being run, and counted
  std::uint64_t last_size_ = 0;                // iterations of the worker's last chunk, when timed
  schedules::chunk last_{};                    // that chunk
  observe::cost_profile* recorded_ = nullptr;  // of the loop, if costs are recorded
  observe::tally count_;
  std::uint64_t entered_ticks_ = 0;
  std::uint64_t handed_ticks_ = 0;
};

}  // namespace doall::team
