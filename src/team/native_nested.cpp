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

namespace doall::team {
namespace {

// LBS's 1,000 cycles: about a hundred times what a look at the deque takes.
constexpr double worth_a_look_ns = 400;

// LBS+'s 10,000 cycles.
constexpr double worth_sharing_ns = 4'000;

// One run in so many is timed.
constexpr std::uint64_t runs_a_timing = 64;

std::uint64_t iterations_in(double ns, const loop_cost& cost) {
  constexpr double most = 1e18;
  if (!cost.known()) return 1;
  return static_cast<std::uint64_t>(std::min(ns / cost.serial_ns(1), most)) + 1;
}

bool splits(const schedules::spec& how) {
  return how.which != nullptr && how.which->splits != nullptr;
}

// Hybrid's partitions are run by divide and conquer, down to the paper's grain (section II).
void divide_in_partitions(steal::terms& t, const schedules::params& given, std::uint32_t workers) {
  constexpr std::uint64_t grain_most = 2048;
  constexpr std::uint64_t grains_a_worker = 8;
  const std::uint64_t usual = std::min(grain_most, t.iterations / grains_a_worker / workers);
  const std::uint64_t grain = std::max<std::uint64_t>(given.chunk != 0 ? given.chunk : usual, 1);
  const std::uint64_t parts = given.k != 0 ? given.k : workers;
  t.partitions = static_cast<std::uint32_t>(
      std::bit_ceil(std::min<std::uint64_t>(parts, steal::most_partitions)));
  t.how = &schedules::splitting_operations_of<schedules::ebs_simple>;
  t.how->construct(t.rule, {.shape = {t.iterations, workers}, .given = {.chunk = grain}});
}

// As many iterations as the rule wants to run before it pushes any: until then nobody else
// can have a part of the loop, and it needs no frame. Of most nested loops that is all.
int run_unsplit(stealer& me, start& s, const schedules::splitting_operations& how,
                const void* rule) {
  const steal::worker::deque_type::owner mine = me.own();
  schedules::part hand = how.whole(rule, s.iterations());
  while (hand.size() != 0) {
    const schedules::step next = how.decide(rule, hand, mine.is_empty());
    if (next.what == schedules::step::kind::push) return 0;
    hand.begin += next.keep;
    const std::uint64_t begin = s.first;
    s.first += next.keep;
    const int verdict = s.loop.body(s.loop.context, begin, s.first, 1, me.number);
    if (verdict != 0) return verdict;
  }
  return 0;
}

// The iterations that remain from `first` on.
int steal_from(stealer& me, start& s, loop_cost& cost, std::uint32_t workers, bool nested) {
  const bool divided = s.how.which != nullptr && is_hybrid(*s.how.which);
  const schedules::splitting_operations& how =
      splits(s.how) ? *s.how.which->splits : *schedules::for_nested_loops().splits;
  const std::uint64_t worth = iterations_in(worth_a_look_ns, cost);
  const bool backwards = s.how.given.order == schedules::in_reverse;
  const bool timing = !cost.known() || me.dice.below(runs_a_timing) == 0;
  alignas(8) std::byte rule[schedules::rule_bytes];
  if (!divided) {
    const bool short_loop = cost.known() && cost.serial_ns(s.iterations()) < worth_sharing_ns;
    how.construct(rule, {.shape = {s.iterations(), workers},
                         .given = splits(s.how) ? s.how.given : schedules::params{},
                         .worth = worth,
                         .nested = nested,
                         .too_short = short_loop});
    if (!timing && !backwards) {
      const int verdict = run_unsplit(me, s, how, rule);
      if (verdict != 0 || s.iterations() == 0) return verdict;
    }
  }
  steal::terms t{.iterations = s.iterations(), .workers = workers, .how = &how, .worth = worth};
  if (divided)
    divide_in_partitions(t, s.how.given, workers);
  else
    std::ranges::copy(rule, t.rule);
  t.body = s.loop.body;
  t.context = s.loop.context;
  t.first = s.first;
  t.backwards = backwards;
  t.fp = base::fp_state::of_this_thread();
  const std::uint64_t spin_ns = crew::shared().busy_spin_ns();
  if (!timing) return run_by_stealing(me, t, spin_ns, nullptr);
  stopwatch mine;
  const int verdict = run_by_stealing(me, t, spin_ns, &mine);
  cost.learn(mine);
  return verdict;
}

// A loop of which nothing is known, and so much of it that its first iterations are few.
bool is_to_be_tried(const doall_loop& loop, const loop_cost& cost) {
  constexpr std::uint64_t iterations_least = 64;
  return loop.iterations >= iterations_least && !cost.known();
}

int run_stolen_from(stealer& me, start& s, std::uint32_t workers, bool nested) {
  loop_cost& cost = cost_of(identity_of(s.loop));
  if (s.first == 0 && is_to_be_tried(s.loop, cost)) {
    stopwatch seen;
    if (const int verdict = run_first(s.loop, seen); verdict != 0) return verdict;
    cost.learn(seen);
    s.first = seen.iterations;
    if (s.iterations() == 0) return 0;
  }
  return steal_from(me, s, cost, workers, nested);
}

}  // namespace

int run_first(const doall_loop& loop, stopwatch& seen) {
  constexpr std::uint64_t enough_ns = 300;
  while (seen.elapsed_ns < enough_ns && seen.iterations < loop.iterations) {
    const std::uint64_t end = std::min(2 * seen.iterations + 1, loop.iterations);
    const std::uint64_t start_ns = base::now_ns();
    const int verdict = loop.body(loop.context, seen.iterations, end, 1, 0);
    seen.elapsed_ns += base::now_ns() - start_ns;
    seen.iterations = end;
    if (verdict != 0) return verdict;
  }
  return 0;
}

int run_nested(stealer& me, const doall_loop& loop, const schedules::spec& how) {
  if (loop.combine != nullptr || loop.iterations == 1) {
    return loop.body(loop.context, 0, loop.iterations, 1, me.number);
  }
  start s{loop, 0, how};
  // (1) relaxed; alone: of a loop in which this thread is
  return run_stolen_from(me, s, me.current->workers.load(sync::relaxed), true);
}

int share_by_stealing(stealer& me, start s, std::uint32_t workers) {
  crew::count_caller();
  // (2) relaxed; alone: as (1)
  me.root.workers.store(workers, sync::relaxed);
  const inside_loop outermost(&me, &me.root);  // what starts before there is a frame is nested too
  return run_stolen_from(me, s, workers, false);
}

}  // namespace doall::team
