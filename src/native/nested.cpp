// Native loops that run by stealing.
//
// A loop that names no schedule runs by LBS. Its profitable parallelism threshold comes from the
// measured times of its iterations (section 3.2). A nested loop that names a schedule for a team
// (static, guided, ...) runs by LBS as well, for only thieves join it.
#include <algorithm>
#include <bit>

#include "base/clock.hpp"
#include "native/open_loops.hpp"
#include "native/sharing.hpp"
#include "native/watching.hpp"
#include "sites/site.hpp"
#include "threads/pool.hpp"

namespace doall::native {
namespace {

// LBS+'s 10,000 cycles.
constexpr double worth_sharing_ns = 4'000;

// Time one nested run in 64, and every outermost run. Outermost runs are fewer and longer, and the
// first was slower for it: the loops inside it were unknown too.
constexpr std::uint64_t runs_a_timing = 64;

bool is_backwards(const schedules::spec& how) { return how.given.order == schedules::in_reverse; }

bool splits(const schedules::spec& how) {
  return how.which != nullptr && how.which->splits != nullptr;
}

// What is left of a loop, from its first iteration that has not run.
struct remainder {
  const doall_loop& loop;
  std::uint64_t first = 0;

  std::uint64_t iterations() const { return loop.iterations - first; }
};

// How to run a loop. A level of nested loops must take little stack
// (tests/native/unit_nested_stack.cpp): functions that make the plan and begin the loop are not
// inlined, and functions that only lead to the body are.
struct plan {
  const schedules::splitting_operations* how = nullptr;
  alignas(8) std::byte rule[schedules::rule_bytes] = {};
  std::uint64_t worth = 1;  // as in steal::terms; `partitions` too
  std::uint32_t partitions = 0;
  std::uint32_t workers = 0;
  bool backwards = false;
  bool timing = false;

  bool needs_frame() const { return partitions != 0 || timing || backwards; }
};

plan plan_for(stealer& me, const schedules::spec& how, const loop_cost& cost, const remainder& r,
              std::uint32_t workers, bool nested) {
  const std::uint64_t iterations = r.iterations();
  plan p{.worth = iterations_in(r.loop, cost.iterations_in(worth_a_look_ns)),
         .workers = workers,
         .backwards = is_backwards(how),
         .timing = !nested || !cost.settled() || me.dice.below(runs_a_timing) == 0};
  if (how.which != nullptr && is_hybrid(*how.which)) {
    steal::divide_in_partitions(p, how.given, {iterations, workers});
    return p;
  }
  p.how = splits(how) ? how.which->splits : schedules::for_nested_loops().splits;
  const double whole_ns = cost.serial_ns(indices_in(r.loop, iterations));
  const bool short_loop = cost.known() && whole_ns < worth_sharing_ns;
  p.how->construct(p.rule, {.shape = {iterations, workers},
                            .given = splits(how) ? how.given : schedules::params{},
                            .worth = p.worth,
                            .nested = nested,
                            .too_short = short_loop});
  return p;
}

std::uint32_t workers_around(const stealer& me) { return steal::workers_of(me.current()); }

[[gnu::noinline]] plan plan_nested(stealer& me, const remainder& r, const loop_cost& cost) {
  return plan_for(me, named_schedule(r.loop.schedule), cost, r, workers_around(me), true);
}

// Runs as many iterations as the rule runs before it pushes any. Until then no other thread can
// have a part of the loop, and it needs no frame. For most nested loops that is all.
[[gnu::always_inline]] inline int run_unsplit(stealer& me, remainder& r, const plan& p) {
  const steal::worker_thread::deque_type::owner mine = me.own();
  schedules::part hand = p.how->whole(p.rule, r.iterations());
  while (hand.size() != 0) {
    const bool has_nothing = mine.is_empty() && !(p.how->offers_outermost && offer_outermost(me));
    const schedules::step next = p.how->decide(p.rule, hand, has_nothing);
    if (next.what == schedules::step::kind::push) return 0;
    hand.begin += next.keep;
    const std::uint64_t begin = r.first;
    r.first += next.keep;
    const int verdict = r.loop.body(r.loop.context, begin, r.first, 1, me.number);
    if (verdict != 0) return verdict;
  }
  return 0;
}

// Null: there is no memory.
[[gnu::noinline]] steal::frame* begin_frame(stealer& me, const remainder& r, const plan& p) {
  steal::terms t{.iterations = r.iterations(),
                 .workers = p.workers,
                 .how = p.how,
                 .worth = p.worth,
                 .partitions = p.partitions,
                 .body = r.loop.body,
                 .context = r.loop.context,
                 .first = r.first,
                 .backwards = p.backwards,
                 .fp = base::fp_state::of_this_thread()};
  std::ranges::copy(p.rule, t.rule);
  return steal::begin(me, t);
}

// A loop that has begun. Once it has a frame, its parts can be stolen.
struct begun {
  steal::frame* loop;  // null: it has ended, with the verdict
  union {
    int verdict;
    loop_cost* timed;  // null: the run is not timed
  };

  static begun ended(int verdict) { return {.loop = nullptr, .verdict = verdict}; }
};

[[gnu::always_inline]] inline begun begin_planned(stealer& me, remainder& r, const plan& p,
                                                  loop_cost& cost) {
  if (!p.needs_frame()) {
    const int verdict = run_unsplit(me, r, p);
    if (verdict != 0 || r.iterations() == 0) return begun::ended(verdict);
  }
  if (steal::frame* const loop = begin_frame(me, r, p)) {
    return {.loop = loop, .timed = p.timing ? &cost : nullptr};
  }
  return begun::ended(r.loop.body(r.loop.context, r.first, r.loop.iterations, 1, me.number));
}

[[gnu::noinline]] begun begin_nested(stealer& me, const doall_loop& loop, loop_cost& cost) {
  remainder r{loop};
  const plan p = plan_nested(me, r, cost);
  return begin_planned(me, r, p, cost);
}

begun begin_outermost(stealer& me, const start& s, loop_cost& cost, std::uint32_t workers) {
  remainder r{s.loop, s.first};
  const plan p = plan_for(me, s.how, cost, r, workers, false);
  return begin_planned(me, r, p, cost);
}

int run_begun(stealer& me, const begun& b, const doall_loop& loop) {
  if (b.loop == nullptr) return b.verdict;
  return run_by_stealing(me, *b.loop, pool::shared().busy_spin(), {b.timed, indices_each(loop)});
}

// Takes `cost`, since the site cannot be found from `loop` when a report counts it: its body is
// then another one.
int run_nested_as(stealer& me, const doall_loop& loop, loop_cost& cost) {
  return run_begun(me, begin_nested(me, loop, cost), loop);
}

bool runs_whole(const doall_loop& loop) { return loop.combine != nullptr || loop.iterations == 1; }

int run_whole(const stealer& me, const doall_loop& loop) {
  const std::uint32_t worker = loop.combine == nullptr ? me.number : 0;  // the whole is its part
  return loop.body(loop.context, 0, loop.iterations, 1, worker);
}

// The schedule that runs a loop which names `how`, for the report.
schedules::spec runs_by(const schedules::spec& how) {
  const bool as_named = splits(how) || (how.which != nullptr && is_hybrid(*how.which));
  if (as_named) return how;
  return {&schedules::for_nested_loops(), {.order = how.given.order}};
}

[[gnu::noinline, gnu::cold]] int run_nested_counted(stealer& me, const doall_loop& loop) {
  const watched_loop seen(me, loop, observe::site_kind::nested,
                          runs_by(named_schedule(loop.schedule)), workers_around(me),
                          observe::reason::nested);
  if (runs_whole(loop)) return run_whole(me, seen.counting());
  return run_nested_as(me, seen.counting(), site_of(loop).cost);
}

[[gnu::noinline, gnu::cold]] int run_stealable_counted(stealer& me, const start& s, loop_cost& cost,
                                                       std::uint32_t workers) {
  const watched_loop seen(me, s.loop, observe::site_kind::loop, runs_by(s.how), workers,
                          observe::reason::stolen_from);
  const start counted{seen.counting(), s.first, s.how};
  return run_begun(me, begin_outermost(me, counted, cost, workers), counted.loop);
}

}  // namespace

int run_nested(stealer& me, const doall_loop& loop) {
  if (me.books != nullptr) [[unlikely]]
    return run_nested_counted(me, loop);
  if (runs_whole(loop)) return run_whole(me, loop);
  loop_cost& cost = site_of(loop).cost;
  if (!is_for_nested(loop.schedule)) return run_nested_as(me, loop, cost);
  // C++ loops come here to be timed.
  const bool timed = me.here.inlined == 0 || !cost.settled() || me.dice.below(runs_a_timing) == 0;
  return run_open(me, loop, 0, cost, timed ? timing::yes : timing::no);
}

int run_stealable(stealer& me, const start& s, std::uint32_t workers) {
  pool::count_caller();
  loop_cost& cost = site_of(s.loop).cost;
  if (me.books != nullptr) [[unlikely]] {
    // (1) relaxed; alone: the push of a part publishes it
    me.root.workers.store(workers, sync::relaxed);
    const inside_loop outermost(&me, &me.root);
    return run_stealable_counted(me, s, cost, workers);
  }
  if (s.how.which == nullptr ||
      (!splits(s.how) && !is_hybrid(*s.how.which) && !is_backwards(s.how))) {
    const open_root outermost(me, workers, open_root::clock::at_first_look);
    const bool timed = s.timed != nullptr || cost.timing_due();
    const int verdict = run_open(me, s.loop, s.first, cost, timed ? timing::yes : timing::no);
    nest_watch::pass_over_open_loop(me.here);
    return verdict;
  }
  // (2) relaxed; alone: as (1)
  me.root.workers.store(workers, sync::relaxed);
  const inside_loop outermost(&me, &me.root);  // loops begun before there is a frame nest too
  return run_begun(me, begin_outermost(me, s, cost, workers), s.loop);
}

}  // namespace doall::native
