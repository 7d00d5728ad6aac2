// Which schedule a worksharing loop gets, and why: that of whoever steers it, the one that its
// source names, `auto`'s, or its kind's; what serves instead where its order allows no other; and
// which chunk it must keep (src/schedule/README.md, "What a dealt chunk promises").
#include <algorithm>
#include <string>

#include "base/env.hpp"
#include "base/sync.hpp"
#include "omp/icv.hpp"
#include "omp/llvm/environment.hpp"
#include "omp/loops.hpp"

namespace doall::omp {
namespace {

// Initialised at load, not at the first use: a function's static has a lock, which the child of a
// fork might find held.
const schedules::entry& fixed = *schedules::find("static");
const schedules::entry& dynamic = *schedules::find("dynamic");
const schedules::entry& guided = *schedules::find("guided");

const schedules::entry& entry_of(loop_kind kind) {
  switch (kind) {
    case loop_kind::static_:
    case loop_kind::block:
    case loop_kind::steerable:
    case loop_kind::paired:
    case loop_kind::usual_static: return fixed;
    case loop_kind::guided: return guided;
    case loop_kind::automatic: return auto_schedule();
    case loop_kind::trapezoidal: return schedules::for_trapezoidal_loops();
    case loop_kind::stealing: return schedules::for_nonmonotonic_loops();
    default: return dynamic;
  }
}

// `auto`'s options where nobody names any.
schedules::params unnamed_options() {
  return team::environment().unnamed_frozen ? schedules::frozen_choices() : schedules::params{};
}

// What runs a loop without a schedule where `auto` chooses; which == nullptr: the loop has one.
schedules::spec by_auto(loop_kind kind) {
  schedules::spec how;
  if (kind == loop_kind::steerable) how.which = &auto_schedule();
  // Sums have the same bits only if they are cut at the same places.
  const bool moves = kmp_environment().reduction != reduction_form::first_thread;
  if (kind == loop_kind::block && moves) how.which = &schedules::for_auto_blocks();
  if (how.which != nullptr) how.given = unnamed_options();
  return how;
}

// The one that the loop's kind stands for.
schedules::spec schedule_of(const loop_clause& clause) {
  const schedules::entry& which = entry_of(clause.kind);
  if (&which == &auto_schedule()) return {&which, unnamed_options()};
  return {&which, schedules::params::of_first(clause.chunk)};
}

// Whether the run-sched-var says how to run the loop.
bool asks_for_runtime(const task_state& me, loop_kind kind) {
  return kind == loop_kind::runtime ||
         (kind == loop_kind::usual_static && me.settings().run_schedule_named);
}

// Why a loop has the schedule of its kind.
observe::reason usual_reason(const task_state& me, loop_kind kind) {
  using observe::reason;
  if (kind == loop_kind::sections) return reason::sections;
  if (asks_for_runtime(me, kind)) return reason::runtime;
  if (kind == loop_kind::paired) return reason::paired;
  const bool unnamed = kind == loop_kind::steerable || kind == loop_kind::block;
  if (!unnamed) return reason::named;
  if (me.team->unnamed != unnamed_choice::too_short) return reason::compiled;
  return me.team->unnamed_why != reason::none ? me.team->unnamed_why : reason::gains_little;
}

bool must_be_monotonic(const task_state& me, const loop_clause& clause) {
  switch (clause.order) {
    case loop_order::free:
    case loop_order::unsaid: return false;
    case loop_order::maybe: return me.settings().run_order == run_modifier::monotonic;
    default: return true;
  }
}

// Whether the source, or the run-sched-var, says `nonmonotonic`.
bool may_be_nonmonotonic(const task_state& me, const loop_clause& clause) {
  return clause.order == loop_order::free ||
         (clause.order == loop_order::maybe &&
          me.settings().run_order == run_modifier::nonmonotonic);
}

// The chunk that the source names, or the run-sched-var in its place; 0: none.
std::uint64_t chunk_in_source(const task_state& me, const loop_clause& clause,
                              const schedules::spec& named) {
  if (!is_steerable(clause)) return 0;
  if (named.which != nullptr) return schedules::chunk_of(named);
  return asks_for_runtime(me, clause.kind) ? schedules::chunk_of(me.settings().run_schedule)
                                           : clause.chunk;
}

// True once for each schedule, without a lock or an allocation in each loop.
bool first_time_refused(const schedules::spec& how) {
  static sync::atomic<std::uint64_t> said{0};
  constexpr std::size_t not_in_registry = 63;
  const auto all = schedules::registry();
  const auto* listed = schedules::find(how.which->name);
  const auto index =
      listed != nullptr ? static_cast<std::size_t>(listed - all.data()) : not_in_registry;
  const std::uint64_t bit = std::uint64_t{1} << std::min(index, not_in_registry);
  // (1) relaxed; alone: a flag; nothing else is communicated
  if ((said.load(sync::relaxed) & bit) != 0) return false;
  // (2) relaxed; alone: as (1)
  return (said.fetch_or(bit, sync::relaxed) & bit) == 0;
}

}  // namespace

bool is_steerable(const loop_clause& clause) {
  return clause.kind != loop_kind::static_ && clause.kind != loop_kind::paired &&
         clause.kind != loop_kind::sections;
}

loop_dealing dealing_for(const task_state& me, const loop_clause& clause,
                         const schedules::loop_shape& shape, const schedules::spec& named) {
  using observe::reason;
  loop_dealing dealing;
  schedules::spec& how = dealing.how;
  reason& why = dealing.why;
  if (is_steerable(clause)) how = team::steering_schedule();
  // Compiled code runs one block: other schedules have no way to hand on a second chunk.
  const auto may_run = [&](const schedules::spec& s) {
    return clause.kind != loop_kind::block || schedules::deals_one_block(*s.which, s.given);
  };
  if (how.which != nullptr && !may_run(how)) how = {};
  why = reason::steered;
  if (how.which == nullptr && named.which != nullptr && may_run(named)) {
    how = named;
    why = reason::named;
  }
  if (how.which == nullptr && me.team->unnamed == unnamed_choice::by_auto) {
    how = by_auto(clause.kind);
    why = clause.kind == loop_kind::block ? reason::by_times : reason::gains_much;
    if (me.team->unnamed_why != reason::none) why = me.team->unnamed_why;
  }
  const bool steered = how.which != nullptr;
  if (!steered) {
    why = usual_reason(me, clause.kind);
    how = asks_for_runtime(me, clause.kind) ? me.settings().run_schedule : schedule_of(clause);
  }
  // A number that whoever steers has named replaces the source's.
  const std::uint64_t own_chunk = is_steerable(clause) ? schedules::chunk_of(how) : 0;
  const std::uint64_t chunk = own_chunk != 0 ? own_chunk : chunk_in_source(me, clause, named);
  const std::uint64_t most = std::max<std::uint64_t>(shape.iterations, 1);
  dealing.cell = std::min(std::max<std::uint64_t>(std::min(chunk, most), 1) * clause.width, most);
  if (!must_be_monotonic(me, clause)) {
    // A loop gets just the schedule that was named, by whoever steers it or in its source.
    if (!steered && may_be_nonmonotonic(me, clause) &&
        schedules::gains_from_any_order(*how.which, how.given, shape)) {
      how.which = &schedules::for_nonmonotonic_loops();
      why = reason::any_order;
    }
  } else if (!how.has(schedules::monotonic)) {
    why = reason::monotonic;
    const schedules::spec instead{&schedules::for_monotonic_loops(),
                                  schedules::params::of_first(chunk)};
    // Whoever leaves the choice to the runtime has named nothing that could be refused.
    if (how.which != &auto_schedule() && first_time_refused(how)) {
      base::warn("schedule \"" + schedules::to_text(how) +
                 "\" may deal a worker's chunks out of order, which a loop that is ordered or "
                 "monotonic forbids: \"" +
                 schedules::to_text(instead) + "\" is used there");
    }
    how = instead;
  }
  return dealing;
}

}  // namespace doall::omp
