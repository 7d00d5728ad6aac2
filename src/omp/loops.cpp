// Worksharing loops.
//
// `ordered`: chunks complete in the order of the iterations. A worker that asks for its next chunk
// first waits until all iterations before its last chunk are complete, then declares that chunk
// complete. An ordered region waits for the same. The state is one number, the iterations complete
// in order; only the worker whose chunk begins there may advance it.
// Terminates: the schedule is monotonic, so the worker that has the first incomplete chunk, or will
// be dealt it, holds no later one and does not wait.
// In a cancelled region the thread with the first incomplete chunk may have left. Then nobody waits
// for it: the order is lost, but a lock that each turn holds keeps the bodies apart.
#include "omp/loops.hpp"

#include <cstdlib>
#include <optional>
#include <utility>

#include "base/tsan.hpp"
#include "costs/costs_of_cells.hpp"
#include "omp/cancellation.hpp"
#include "omp/deeper_loops.hpp"
#include "omp/doacross.hpp"
#include "omp/icv.hpp"
#include "omp/llvm/nest_flags.hpp"
#include "omp/ompt/hooks.hpp"
#include "omp/reductions.hpp"
#include "omp/region_count.hpp"
#include "sites/site.hpp"
#include "tasks/task_engine.hpp"

namespace doall::omp {
namespace {

// What the first worker to arrive sets up beside the schedule.
void open_extra(loop_extra& extra, const task_state& me, const loop_wishes& wishes,
                std::uint64_t iterations) {
  // Written only when it changes, after an ordered loop: the line is another thread's.
  // (1) relaxed; alone: the ring publishes the opened loop
  if (extra.in_order.load(sync::relaxed) != 0) extra.in_order.store(0, sync::relaxed);
  if (wishes.counts != nullptr) {
    extra.cross = doacross::make(wishes.counts, wishes.dimensions, iterations);
  }
  if (wishes.nest != nullptr) {
    extra.nest = make_nest_flags(wishes.nest, static_cast<std::int32_t>(wishes.dimensions));
  }
  if (wishes.scratch != nullptr) {
    extra.scratch = std::calloc(1, reinterpret_cast<std::size_t>(*wishes.scratch));
  }
  if (wishes.reductions != nullptr) {
    register_reductions(wishes.reductions, me.group->reductions, nullptr, me.team->size);
    extra.reductions = wishes.reductions;
  }
}

// In a cancelled region some thread may never come to a loop, so this one may not be able to enter
// its next. It gets an empty loop, and what compiled code writes to is its own.
void begin_given_up(task_state& me, const loop_wishes& wishes) {
  workshare& w = me.loop;
  w.given_up = true;
  w.ordered = false;
  w.cursor.begin_drained();
  if (wishes.scratch != nullptr) {
    w.own_scratch.reset(std::calloc(1, reinterpret_cast<std::size_t>(*wishes.scratch)));
    *wishes.scratch = w.own_scratch.get();
  }
  if (wishes.reductions == nullptr) return;
  register_reductions(wishes.reductions, me.group->reductions, nullptr, me.team->size);
  me.group->reductions = wishes.reductions;
}

// The place of the thread's next loop, unless that has moved.
loop_place next_place(task_state& me) {
  region& r = *me.team;
  const std::uint64_t number = me.next_loop++;
  if (me.deeper == nullptr) [[likely]] {
    team::loop_ring& ring = loops_of(r);
    return {&ring, &r.extras[ring.index_of(number)], number};
  }
  team::loop_ring& ring = *me.deeper->ring;
  return {&ring, &me.deeper->extras[ring.index_of(number)], number};
}

// What has no sections (a scope, what a doacross loop holds beside its own) is not reported.
observe::counting counting_of(const loop_dealing& dealing, const loop_source& source,
                              const region& r) {
  const observe::site_kind kind = dealing.kind();
  if (kind == observe::site_kind::sections && source.iterations == 0) return {};
  return team::count_execution(source.place.key, kind, source.place.door, source.place.function,
                               r.code, observe::enabled() ? outer_threads(r) : 0);
}

// Enters the loop at the thread's next place, and opens it if the thread is the first there. Null:
// the region's loops are given up, and some thread is behind.
template <class Open>
team::loop_slot* enter(task_state& me, Open open) {
  region& r = *me.team;
  loop_place& at = me.loop.at;
  const auto given_up = [&] { return is_given_up(r); };
  for (;;) {
    const team::entrance in =
        at.ring->enter({at.number, r.size, me.loops_over, r.spin()}, given_up, open);
    if (!in.moved) [[likely]]
      return in.slot;
    go_deeper(me);
    at.ring = me.deeper->ring.get();
    at.extra = &me.deeper->extras[at.ring->index_of(at.number)];
  }
}

// The child of a fork meanwhile closes it again: nothing is freed before it is forgotten.
void close_extra(loop_extra& extra) {
  doacross::destroy(std::exchange(extra.cross, nullptr));
  free_nest_flags(std::exchange(extra.nest, nullptr));
  std::free(std::exchange(extra.scratch, nullptr));
  costs::give_back(std::exchange(extra.costs, nullptr));
  extra.reductions = nullptr;
}

// Waits for the turn of an ordered loop's chunk in hand, then declares it complete.
void pass_turn_on(task_state& me) {
  workshare& w = me.loop;
  if (w.chunk_begin == w.chunk_end) return;
  wait_for_turn(me);
  base::tsan_gives(w.at.extra);
  // (3) release; pairs with (2): what this chunk's ordered regions did
  w.at.extra->in_order.store(w.chunk_end, sync::release);
  w.at.extra->turn.open();
  w.chunk_begin = w.chunk_end = 0;
  w.has_turn = false;
  leave_turn(me);
}

}  // namespace

loop_source count_long(long start, long end, long increment, const void* code) {
  const bool up = increment > 0;
  const bool any = up ? start < end : start > end;
  const auto span = up ? static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(start)
                       : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(end);
  const auto step =
      up ? static_cast<std::uint64_t>(increment) : -static_cast<std::uint64_t>(increment);
  return {any ? base::ceil_div(span, step) : 0,
          {static_cast<std::uint64_t>(start), static_cast<std::uint64_t>(increment),
           static_cast<std::uint64_t>(end)},
          code};
}

loop_source count_ull(bool up, unsigned long long start, unsigned long long end,
                      unsigned long long increment, const void* code) {
  const bool any = up ? start < end : start > end;
  const std::uint64_t span = up ? end - start : start - end;
  const std::uint64_t step = up ? increment : -increment;
  return {any ? base::ceil_div(span, step) : 0, {start, increment, end}, code};
}

bool takes_whole_loops(const task_state& me) {
  return me.team->size == 1 && !ompt::is_watched() && !observe::enabled() && !team::is_steered();
}

void take_whole(task_state& me, std::uint64_t iterations, const schedules::numbering& numbers) {
  workshare& w = me.loop;
  w.alone = true;
  w.ordered = w.given_up = false;
  w.iterations = iterations;
  w.chunk_begin = 0;
  w.cursor.begin_whole(numbers, iterations);
}

void begin_loop(task_state& me, const loop_clause& clause, const loop_source& source,
                const loop_wishes& wishes) {
  region& r = *me.team;
  workshare& w = me.loop;
  if (wishes.reductions != nullptr) {
    begin_group(me);
    me.group->is_construct = true;
  }
  if (r.level == 0) note_served();
  if (clause.kind == loop_kind::steerable || clause.kind == loop_kind::block) ++me.unnamed_loops;
  const bool is_plain = wishes.scratch == nullptr && wishes.reductions == nullptr;
  if (is_plain && takes_whole_loops(me)) {
    // Costs that were named for it are of no use.
    doall_costs unused;
    if (is_steerable(clause) && !costs::take_named_costs(unused)) r.costs = nullptr;
    take_whole(me, source.iterations, source.numbers);
    return;
  }

  w.at = next_place(me);
  w.alone = false;
  w.ordered = clause.order == loop_order::ordered;
  w.chunk_begin = w.chunk_end = 0;
  w.has_turn = false;
  // A late thread has named them too.
  const bool takes_costs = is_steerable(clause);
  doall_costs mine;
  const bool named_here = takes_costs && costs::take_named_costs(mine);
  bool opened_here = false;
  std::optional<schedules::chunk> drawn;
  w.given_up = false;
  if (r.forked) [[unlikely]]
    w.at.ring->seize(w.at.number, [&](team::loop_slot&) { close_extra(*w.at.extra); });
  team::loop_slot* const entered = enter(me, [&](team::loop_slot& unopened) {
    opened_here = true;
    open_extra(*w.at.extra, me, wishes, source.iterations);
    const schedules::loop_shape shape{source.iterations, r.size};
    // Loops are opened in order, so costs named before the region are the first loop's.
    const doall_costs* named = named_here ? &mine : nullptr;
    if (!named_here && takes_costs && r.costs != nullptr) named = std::exchange(r.costs, nullptr);
    const schedules::spec in_source =
        wishes.compiled != nullptr ? named_by(*wishes.compiled) : schedules::spec{};
    loop_dealing dealing = dealing_for(me, clause, shape, in_source);
    // What blocks take is measured under `auto`: an estimate would be in its way.
    const bool measures = clause.kind == loop_kind::block &&
                          dealing.why != observe::reason::steered &&
                          dealing.why != observe::reason::named;
    if (named == nullptr && wishes.compiled != nullptr && wishes.compiled->tells_costs() &&
        !measures) {
      mine = costs_of(*wishes.compiled);
      named = &mine;
    }
    if (wishes.compiled != nullptr) schedules::give_grain(dealing.how, wishes.compiled->grain());
    const costs::costs_of_cells told(named, shape.iterations, dealing.cell);
    // This thread makes the sums alone, for the others wait.
    const costs::costed_loop costed = costs::with_costs(
        dealing.how, dealing.in_cells(shape), told.get(), {}, shape.iterations, dealing.cell);
    w.at.extra->costs = costed.held;
    const bool shares_cuts = clause.kind == loop_kind::block && !costed.costs.given();
    const team::loop_request request{
        .how = costed.how,
        .shape = shape,
        .counted = counting_of(dealing, source, r),
        .source = source.numbers,
        .where = source.place.key,
        .costs = costed.costs,
        .held = shares_cuts ? r.static_blocks.of(costed.how, shape, source.place.key) : nullptr,
        .why = dealing.why,
        .cell = dealing.cell};
    unopened.open(request);
    if (!w.ordered && !unopened.first.timed) drawn = unopened.draw_first(me.index);
  });
  if (entered == nullptr) [[unlikely]] {
    begin_given_up(me, wishes);
    return;
  }
  team::loop_slot& slot = *entered;
  if (w.ordered) {  // turns are in iteration numbers; next_range_slowly() translates
    w.source = source.numbers;
    w.iterations = source.iterations;
    w.cursor.begin(slot, me.index, {0, slot.first.cell, w.iterations},
                   team::loop_cursor::pace::by_pieces);
  } else {
    w.cursor.begin(slot, me.index, slot.first.source);
    if (drawn) w.cursor.begin_with(*drawn);
  }

  if (wishes.scratch != nullptr) *wishes.scratch = w.at.extra->scratch;
  if (wishes.reductions != nullptr) {
    if (!opened_here) {
      register_reductions(wishes.reductions, me.group->reductions, w.at.extra->reductions, r.size);
    }
    me.group->reductions = wishes.reductions;
  }
  ompt::loop_begins(me, clause.kind, source.iterations, source.place.key.code);
}

bool next_range_slowly(task_state& me, std::uint64_t* first, std::uint64_t* last) {
  workshare& w = me.loop;
  if (!w.ordered) return ompt::chunk(me, w.cursor.next_range(first, last), first, last);
  pass_turn_on(me);
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  if (!w.cursor.next_range(&begin, &end)) return false;
  w.chunk_begin = begin;
  w.chunk_end = end;
  *first = w.source.first + begin * w.source.increment;
  *last = end == w.iterations ? w.source.last : w.source.first + end * w.source.increment;
  return ompt::chunk(me, true, first, last);
}

void leave_turn(task_state& me) {
  if (std::exchange(me.loop.excludes, false)) me.loop.at.extra->turn_lock.unlock();
}

namespace {

// Ends the thread's part of the loop. Returns whether the loop has a slot that is to be left.
bool end_part_of_loop(task_state& me) {
  workshare& w = me.loop;
  ompt::loop_ends();
  leave_turn(me);
  w.ordered = false;
  if (std::exchange(w.alone, false)) return false;
  w.cursor.end();
  if (w.given_up) [[unlikely]] {
    w.own_scratch.reset();
    return false;
  }
  const region& r = *me.team;
  return !r.one_loop || w.at.number != r.first_loop;  // the join ends that one
}

}  // namespace

void end_loop_nowait(task_state& me) {
  if (end_part_of_loop(me)) leave_loop(me, me.loop.at);
}

void leave_loop(task_state& me, const loop_place& at) {
  const region& r = *me.team;
  base::tsan_gives(at.extra);
  at.ring->leave(at.number, r.forked ? 0 : r.size, [&](team::loop_slot&) {
    base::tsan_takes(at.extra);
    close_extra(*at.extra);
  });
}

// A thread that adds a ring meanwhile sees that the loops are given up before it sleeps there: the
// fence of the first opening, which comes before the look for rings, is one for both.
void wake_loops(region& r) {
  for_all_rings(r, [](team::loop_ring& ring, loop_extra* extras) {
    ring.wake();
    for (std::uint32_t i = 0; i < ring.depth(); ++i) extras[i].turn.open();
  });
}

void abandon_loops(region& r) {
  for_all_rings(r, [](team::loop_ring& ring, loop_extra* extras) {
    ring.abandon([&](std::uint32_t i) { close_extra(extras[i]); });
  });
}

// The barrier shows that all have left the loop, so nobody need count itself out. Not of a loop
// that is timed or remembered, which ends when its last thread leaves it; nor where threads may
// leave the region instead of coming to the barrier.
bool end_loop(task_state& me) {
  region& r = *me.team;
  const loop_place at = me.loop.at;
  bool in_slot = end_part_of_loop(me);
  if (in_slot && (may_cancel() || r.forked || at.ring->at(at.number).first.settles)) {
    leave_loop(me, at);
    in_slot = false;
  }
  const bool cancelled = ompt::barrier(ompt_sync_region_barrier_implicit_workshare);
  if (!in_slot) return cancelled;
  me.loops_over = at.number + 1;
  if (me.index == 0)
    at.ring->end_behind_barrier(at.number, [&](team::loop_slot&) { close_extra(*at.extra); });
  return cancelled;
}

void wait_for_turn(task_state& me) {
  workshare& w = me.loop;
  if (!w.waits_for_turn()) return;
  // A thread that left a cancelled region never completes its chunk.
  const auto has_turn = [&] {
    // (2) acquire; pairs with (3): what the chunks before this one did in ordered regions
    return w.at.extra->in_order.load(sync::acquire) == w.chunk_begin || is_given_up(*me.team);
  };
  w.at.extra->turn.wait(has_turn, me.team->spin());
  base::tsan_takes(w.at.extra);
  w.has_turn = true;
  // Others may be in their turn, too: at least one at a time.
  if (!may_cancel() || me.team->forked) return;
  w.at.extra->turn_lock.lock(me.team->spin());
  w.excludes = true;
}

}  // namespace doall::omp
