// How a loop comes to its schedule: each chunk passes here. A schedule is a type, and a loop learns
// at run time which it has; so each has a table of functions, made from its class.
//
// next_range_of() is what a door asks that can hand on only ranges (range_walk, schedule.hpp): the
// usual path, with chunks of one iteration the price of an iteration. It is written for its
// instructions: look at them after a change.
//
// One copy each translation unit, and only the registry makes any: an inline one would be unique
// in the process (GCC's STB_GNU_UNIQUE), and its library never be unloaded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>
#include <type_traits>

#include "schedule/schedule.hpp"
#include "schedule/stealable_run.hpp"

namespace doall::schedules {

// A schedule's functions, for objects of object_bytes aligned to apart_bytes.
struct operations {
  void (*construct)(void* object, const loop_context& loop);

  // The same where the schedule's object for an earlier loop is, which all workers have left.
  void (*renew)(void* object, const loop_context& loop);

  chunk (*next)(void* object, worker w, feedback last);

  // next() for doors that can hand on only ranges without a stride. A chunk that
  // is not an ordinary one (none, strided, or the loop's last) goes to
  // at.otherwise().
  bool (*next_range)(range_walk& at, u64* first, u64* last);

  // Null for a schedule that ends by being forgotten.
  void (*finish)(void* object);

  // What its workers' claims that failed come to; null for a schedule without claims.
  u64 (*failed_claims)(const void* object, std::uint32_t workers) = nullptr;

  // How often its workers have tried to steal, successfully (chunks of origin::stolen) or not; null
  // where that is not counted.
  u64 (*steals_tried)(const void* object) = nullptr;

  // Of a schedule whose memory says where blocks are cut: reads these positions, workers - 1 of
  // them, and puts them into new memory, where they stay (null: even ones). Null for all others.
  block_cuts (*read_cuts)(const void* memory, std::uint32_t workers, u64* begins) = nullptr;
  void (*keep_cuts)(void* memory, std::uint32_t workers, const u64* begins) = nullptr;
};

template <class S>
static void construct_as(void* object, const loop_context& loop) {
  static_assert(sizeof(S) <= object_bytes && alignof(S) <= base::apart_bytes);
  static_assert(std::is_trivially_destructible_v<S>, "a loop ends by being forgotten");
  ::new (object) S(loop);
}

template <class S>
static void renew_as(void* object, const loop_context& loop) {
  if constexpr (requires(S& s) { s.restart(loop); }) {
    if (static_cast<S*>(object)->restart(loop)) return;
  }
  construct_as<S>(object, loop);
}

template <class S>
static chunk next_of(void* object, worker w, feedback last) {
  return static_cast<S*>(object)->next(w, last);
}

[[gnu::always_inline]] static inline bool hand_on(range_walk& at, const chunk& given, u64* first,
                                                  u64* last) {
  ++at.me.turn;  // after next(): a locked instruction waits for the stores before it
  // Inlined, most schedules' step is the constant 1 and its test disappears.
  if (given.step == 1 && !given.empty() && given.end != at.iterations) [[likely]] {
    *first = at.value_of(given.begin);
    *last = at.value_of(given.end);
    return true;
  }
  // Field by field, so that the usual path need not have the chunk in memory.
  at.rest.begin = given.begin;
  at.rest.end = given.end;
  at.rest.step = given.step;
  at.rest.from = given.from;
  at.rest.victim = given.victim;
  return at.otherwise(at, first, last);
}

template <class S>
[[gnu::noinline]] static bool next_range_in_full(range_walk& at, u64* first, u64* last) {
  return hand_on(at, static_cast<S*>(at.object)->next(at.me, {}), first, last);
}

template <class S>
concept plans_ahead = requires(S& schedule) { schedule.plan_ahead(worker{}); };

// Takes what thieves have left of a planned chunk. `run` is what its run was.
template <class S>
[[gnu::noinline]] static bool take_rest_of_planned(range_walk& at, u64 run, u64* first, u64* last) {
  at.planned_turns = 0;
  const u64 tickets = std::min(stealable_run::in(run).size(), at.ahead.tickets);
  if (tickets == 0) return next_range_in_full<S>(at, first, last);
  ++at.me.turn;
  *first = at.ahead.begin;
  *last = at.ahead.begin + tickets * at.source.increment;
  return true;
}

// The fewer stores there are, the sooner the next locked instruction begins.
template <class S>
[[gnu::always_inline]] static inline bool take_planned(range_walk& at, u64* first, u64* last) {
  plan& ahead = at.ahead;
  const u64 run = stealable_run(*ahead.run).take_seen(ahead.tickets);
  if (stealable_run::in(run).end != ahead.end) [[unlikely]] {
    return take_rest_of_planned<S>(at, run, first, last);
  }
  ++at.me.turn;
  const u64 begin = ahead.begin;
  *first = begin;
  *last = begin + ahead.size;
  ahead.begin = begin + ahead.stride;
  return true;
}

// Plans a worker's next chunks, in the source's numbers, but for the one with the loop's last
// iteration, which is not an ordinary one.
template <class S>
[[gnu::always_inline]] static inline bool plan_ahead(const S& schedule, range_walk& at) {
  const plan ahead = schedule.plan_ahead(at.me);
  u64 chunks = ahead.chunks;
  if (chunks == 0 || ahead.begin + ahead.size == at.iterations) return false;
  if (ahead.begin + (chunks - 1) * ahead.stride + ahead.size == at.iterations) --chunks;
  at.planned_turns = at.me.turn + chunks;
  at.ahead.run = ahead.run;
  at.ahead.end = ahead.end;
  at.ahead.tickets = ahead.tickets;
  at.ahead.begin = at.value_of(ahead.begin);
  at.ahead.size = ahead.size * at.source.increment;
  at.ahead.stride = ahead.stride * at.source.increment;
  return true;
}

// Apart from the rest of next(), which would cost it registers and a chunk in memory.
template <class S>
static bool next_range_as_usual(range_walk& at, u64* first, u64* last) {
  const chunk given = static_cast<S*>(at.object)->usual(at.me);
  return given.empty() ? next_range_in_full<S>(at, first, last) : hand_on(at, given, first, last);
}

template <class S>
[[gnu::noinline]] static bool next_range_of_new_plan(range_walk& at, u64* first, u64* last) {
  if (!plan_ahead(*static_cast<S*>(at.object), at)) return next_range_as_usual<S>(at, first, last);
  return take_planned<S>(at, first, last);
}

template <class S>
static bool next_range_of(range_walk& at, u64* first, u64* last) {
  S& schedule = *static_cast<S*>(at.object);
  if constexpr (plans_ahead<S>) {
    return at.me.turn < at.planned_turns ? take_planned<S>(at, first, last)
                                         : next_range_of_new_plan<S>(at, first, last);
  } else if constexpr (requires { schedule.usual(at.me); }) {
    return next_range_as_usual<S>(at, first, last);
  } else {
    return hand_on(at, schedule.next(at.me, {}), first, last);
  }
}

template <class S>
static void finish_of(void* object) {
  static_cast<S*>(object)->finish();
}

template <class S>
static u64 failed_claims_of(const void* object, std::uint32_t workers) {
  u64 sum = 0;
  for (std::uint32_t w = 0; w < workers; ++w) {
    sum += static_cast<const S*>(object)->failed_claims(w);
  }
  return sum;
}

template <class S>
static u64 steals_tried_of(const void* object) {
  return static_cast<const S*>(object)->steals_tried();
}

template <class S>
static constexpr operations operations_of() {
  operations all{construct_as<S>, renew_as<S>, next_of<S>, next_range_of<S>,
                 nullptr,         nullptr,     nullptr};
  if constexpr (requires(S& s) { s.finish(); }) all.finish = finish_of<S>;
  if constexpr (requires(const S& s) { s.failed_claims(0); })
    all.failed_claims = failed_claims_of<S>;
  if constexpr (requires(const S& s) { s.steals_tried(); }) all.steals_tried = steals_tried_of<S>;
  if constexpr (requires { S::read_cuts(nullptr, 0U, nullptr); }) {
    all.read_cuts = S::read_cuts;
    all.keep_cuts = S::keep_cuts;
  }
  return all;
}

}  // namespace doall::schedules
