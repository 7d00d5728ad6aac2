// Native loops that are run by stealing.
//
// A loop that names no schedule gets LBS's, with a profitable parallelism threshold from
// what its iterations were seen to take (section 3.2). One that names a schedule for
// loops whose workers come together (static, guided, ...) gets LBS's as well when it is nested:
// nobody comes but thieves.
#include <algorithm>
#include <bit>

#include "base/clock.hpp"
#include "schedule/ebs_simple.hpp"
#include "team/crew.hpp"
#include "team/native_sharing.hpp"
#include "team/watching.hpp"

namespace doall::team {
namespace {

// LBS's 1,000 cycles: about a hundred times what a look at the deque takes.
constexpr double worth_a_look_ns = 400;

// As long as nobody seems idle.
constexpr double worth_offering_ns = 16 * worth_a_look_ns;

// LBS+'s 10,000 cycles.
constexpr double worth_sharing_ns = 4'000;

// Of nested loops one run in so many is timed; of outermost ones, which are fewer and dearer, each:
// the first was timed while the loops inside it were unknown too, and the slower for it.
constexpr std::uint64_t runs_a_timing = 64;

std::uint64_t iterations_in(double ns, const loop_cost& cost) {
  constexpr double most = 1e18;
  if (!cost.known()) return 1;
  return static_cast<std::uint64_t>(std::min(ns / cost.serial_ns(1), most)) + 1;
}

bool splits(const schedules::spec& how) {
  return how.which != nullptr && how.which->splits != nullptr;
}

// A loop from its first iteration that has not run on.
struct remainder {
  const doall_loop& loop;
  std::uint64_t first = 0;

  std::uint64_t iterations() const { return loop.iterations - first; }
};

// How it is to be run. A level of nested loops is to take little stack
// (tests/unit_nested_stack.cpp): what it takes to find that out, and to begin the loop, is in
// functions that are not inlined, and what only leads to the body is.
struct plan {
  const schedules::splitting_operations* how = nullptr;
  alignas(8) std::byte rule[schedules::rule_bytes] = {};
  std::uint64_t worth = 1;  // as in steal::terms, as the next
  std::uint32_t partitions = 0;
  std::uint32_t workers = 0;
  bool backwards = false;
  bool timing = false;

  bool needs_frame() const { return partitions != 0 || timing || backwards; }
};

// Hybrid's partitions are run by divide and conquer, down to the paper's grain (section II).
void divide_in_partitions(plan& p, const schedules::params& given, std::uint64_t iterations) {
  constexpr std::uint64_t grain_most = 2048;
  constexpr std::uint64_t grains_a_worker = 8;
  const std::uint64_t usual = std::min(grain_most, iterations / grains_a_worker / p.workers);
  const std::uint64_t grain = std::max<std::uint64_t>(given.chunk != 0 ? given.chunk : usual, 1);
  const std::uint64_t parts = given.k != 0 ? given.k : p.workers;
  p.partitions = static_cast<std::uint32_t>(
      std::bit_ceil(std::min<std::uint64_t>(parts, steal::most_partitions)));
  p.how = &schedules::splitting_operations_of<schedules::ebs_simple>;
  p.how->construct(p.rule, {.shape = {iterations, p.workers}, .given = {.chunk = grain}});
}

plan plan_for(stealer& me, const schedules::spec& how, const loop_cost& cost,
              std::uint64_t iterations, std::uint32_t workers, bool nested) {
  plan p{.worth = iterations_in(worth_a_look_ns, cost),
         .workers = workers,
         .backwards = how.given.order == schedules::in_reverse,
         .timing = !nested || !cost.known() || me.dice.below(runs_a_timing) == 0};
  if (how.which != nullptr && is_hybrid(*how.which)) {
    divide_in_partitions(p, how.given, iterations);
    return p;
  }
  p.how = splits(how) ? how.which->splits : schedules::for_nested_loops().splits;
  const bool short_loop = cost.known() && cost.serial_ns(iterations) < worth_sharing_ns;
  p.how->construct(p.rule, {.shape = {iterations, workers},
                            .given = splits(how) ? how.given : schedules::params{},
                            .worth = p.worth,
                            .nested = nested,
                            .too_short = short_loop});
  return p;
}

std::uint32_t workers_around(const stealer& me) {
  // (1) relaxed; alone: of a loop in which this thread is
  return me.current->workers.load(sync::relaxed);
}

[[gnu::noinline]] plan plan_nested(stealer& me, const doall_schedule* named, const loop_cost& cost,
                                   std::uint64_t iterations) {
  return plan_for(me, named_schedule(named), cost, iterations, workers_around(me), true);
}

// As many iterations as the rule wants to run before it pushes any: until then nobody else
// can have a part of the loop, and it needs no frame. Of most nested loops that is all.
[[gnu::always_inline]] inline int run_unsplit(stealer& me, remainder& r, const plan& p) {
  const steal::worker::deque_type::owner mine = me.own();
  schedules::part hand = p.how->whole(p.rule, r.iterations());
  while (hand.size() != 0) {
    const bool has_nothing = mine.is_empty() && !offer_outermost(me);
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

// A loop that is begun: from its frame on it can be stolen from.
struct begun {
  steal::frame* loop;  // null: it has ended, with the verdict
  union {
    int verdict;
    loop_cost* timed;  // null: it is not
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

// A loop of which nothing is known, and so much of it that its first iterations are few.
bool is_to_be_tried(const remainder& r, const loop_cost& cost) {
  constexpr std::uint64_t iterations_least = 64;
  return r.first == 0 && r.loop.iterations >= iterations_least && !cost.known();
}

[[gnu::noinline]] int try_first(remainder& r, loop_cost& cost) {
  stopwatch seen;
  if (const int verdict = run_first(r.loop, seen); verdict != 0) return verdict;
  cost.learn(seen);
  r.first = seen.iterations;
  return 0;
}

[[gnu::noinline]] begun begin_nested(stealer& me, const doall_loop& loop, loop_cost& cost) {
  remainder r{loop};
  if (is_to_be_tried(r, cost)) {
    const int verdict = try_first(r, cost);
    if (verdict != 0 || r.iterations() == 0) return begun::ended(verdict);
  }
  const plan p = plan_nested(me, loop.schedule, cost, r.iterations());
  return begin_planned(me, r, p, cost);
}

begun begin_outermost(stealer& me, const start& s, loop_cost& cost, std::uint32_t workers) {
  remainder r{s.loop, s.first};
  if (is_to_be_tried(r, cost)) {
    const int verdict = try_first(r, cost);
    if (verdict != 0 || r.iterations() == 0) return begun::ended(verdict);
  }
  const plan p = plan_for(me, s.how, cost, r.iterations(), workers, false);
  return begin_planned(me, r, p, cost);
}

int run_begun(stealer& me, const begun& b) {
  if (b.loop == nullptr) return b.verdict;
  return run_by_stealing(me, *b.loop, crew::shared().busy_spin_ns(), b.timed);
}

// The cost is given because a loop that is counted has another body than it is known by.
int run_nested_as(stealer& me, const doall_loop& loop, loop_cost& cost) {
  return run_begun(me, begin_nested(me, loop, cost));
}

int run_outermost(stealer& me, const start& s, loop_cost& cost, std::uint32_t workers) {
  return run_begun(me, begin_outermost(me, s, cost, workers));
}

bool runs_whole(const doall_loop& loop) { return loop.combine != nullptr || loop.iterations == 1; }

int run_whole(const stealer& me, const doall_loop& loop) {
  return loop.body(loop.context, 0, loop.iterations, 1, me.number);
}

// The rule of the schedule for nested loops runs so few iterations at once, whatever it finds in
// the deque, and those of some such runs if it finds anything each time. Of most nested loops that
// is all of them, so it is not even asked.
bool is_one_run(stealer& me, const doall_loop& loop, const loop_cost& cost) {
  if (!cost.known() || !is_for_nested(loop.schedule)) return false;
  const double serial_ns = cost.serial_ns(loop.iterations);
  if (serial_ns < worth_a_look_ns) return true;
  return serial_ns < worth_offering_ns && nobody_seems_idle(me);
}

// How long the loops of a site may be for the program to run them without a call, if it has asked.
void tell(std::uint64_t& word, std::uint64_t what) {
  const sync::atomic_ref<std::uint64_t> told(word);
  // (3) relaxed; alone: an estimate. All workers read it: not written without need
  if (told.load(sync::relaxed) == what) return;
  // (4) relaxed; alone: as (3)
  told.store(what, sync::relaxed);
}

void tell_site(const doall_loop& loop, const loop_cost& cost) {
  if (loop.site == nullptr) return;
  const std::uint64_t indices = loop.indices == 0 ? loop.iterations : loop.indices;
  const double an_index_ns = cost.serial_ns(loop.iterations) / static_cast<double>(indices);
  tell(loop.site->alone, static_cast<std::uint64_t>(worth_a_look_ns / an_index_ns));
  tell(loop.site->alone_if_busy, static_cast<std::uint64_t>(worth_offering_ns / an_index_ns));
  tell(loop.site->schedule, loop.schedule == nullptr ? 0 : loop.schedule->opaque[0]);
}

// Its loops are to be given to the runtime.
void withdraw(const doall_loop& loop) {
  if (loop.site == nullptr) return;
  tell(loop.site->alone, 0);
  tell(loop.site->alone_if_busy, 0);
}

// Loops that their sites keep to themselves come here when they are to be timed.
int run_short(stealer& me, const doall_loop& loop, loop_cost& cost) {
  const bool timing = loop.site != nullptr || me.dice.below(runs_a_timing) == 0;
  return timing ? run_whole_timed(loop, cost, me.number) : run_whole(me, loop);
}

// What a loop is run by that names that schedule, for the report.
schedules::spec runs_by(const schedules::spec& how) {
  const bool as_named = splits(how) || (how.which != nullptr && is_hybrid(*how.which));
  if (as_named) return how;
  return {&schedules::for_nested_loops(), {.order = how.given.order}};
}

[[gnu::noinline, gnu::cold]] int run_nested_counted(stealer& me, const doall_loop& loop) {
  withdraw(loop);
  const watched_loop seen(me, loop, observe::site_kind::nested,
                          runs_by(named_schedule(loop.schedule)), workers_around(me));
  if (runs_whole(loop)) return run_whole(me, seen.counting());
  return run_nested_as(me, seen.counting(), cost_of(identity_of(loop)));
}

[[gnu::noinline, gnu::cold]] int share_counted(stealer& me, const start& s, loop_cost& cost,
                                               std::uint32_t workers) {
  const watched_loop seen(me, s.loop, observe::site_kind::loop, runs_by(s.how), workers);
  return run_outermost(me, {seen.counting(), s.first, s.how}, cost, workers);
}

}  // namespace

int run_whole_timed(const doall_loop& loop, loop_cost& cost, std::uint32_t worker) {
  const std::uint64_t start_ns = base::now_ns();
  const int verdict = loop.body(loop.context, 0, loop.iterations, 1, worker);
  cost.learn(loop.iterations, base::now_ns() - start_ns);
  tell_site(loop, cost);
  return verdict;
}

int run_first(const doall_loop& loop, stopwatch& seen) {
  constexpr std::uint64_t enough_ns = 300;
  constexpr std::uint64_t cold_most_ns = 20'000;
  std::uint64_t timed = 0;
  while (seen.elapsed_ns < enough_ns && seen.iterations < loop.iterations) {
    const std::uint64_t end = std::min(2 * seen.iterations + 1, loop.iterations);
    const std::uint64_t start_ns = base::now_ns();
    const int verdict = loop.body(loop.context, seen.iterations, end, 1, 0);
    const std::uint64_t took_ns = base::now_ns() - start_ns;
    // The very first one may have found nothing in the caches: then the next ones are asked.
    const bool cold = seen.iterations == 0 && end < loop.iterations && took_ns >= enough_ns &&
                      took_ns < cold_most_ns;
    if (!cold) {
      timed += end - seen.iterations;
      seen.elapsed_ns += took_ns;
    }
    seen.iterations = end;
    if (verdict != 0) return verdict;
  }
  if (timed != 0) seen.elapsed_ns = seen.elapsed_ns * seen.iterations / timed;
  return 0;
}

int run_nested(stealer& me, const doall_loop& loop) {
  if (me.books != nullptr) [[unlikely]]
    return run_nested_counted(me, loop);
  if (runs_whole(loop)) return run_whole(me, loop);
  loop_cost& cost = cost_of(identity_of(loop));
  if (is_one_run(me, loop, cost)) return run_short(me, loop, cost);
  if (!is_for_nested(loop.schedule)) withdraw(loop);
  return run_nested_as(me, loop, cost);
}

int share_by_stealing(stealer& me, const start& s, std::uint32_t workers) {
  crew::count_caller();
  // (2) relaxed; alone: as (1)
  me.root.workers.store(workers, sync::relaxed);
  const inside_loop outermost(&me, &me.root);  // what starts before there is a frame is nested too
  loop_cost& cost = cost_of(identity_of(s.loop));
  if (me.books != nullptr) [[unlikely]]
    return share_counted(me, s, cost, workers);
  return run_outermost(me, s, cost, workers);
}

}  // namespace doall::team
