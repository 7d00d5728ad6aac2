#include "native/outermost.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "decide/small_loops.hpp"
#include "doall/detail/open_loops.hpp"
#include "native/open_loops.hpp"
#include "native/sharing.hpp"
#include "observe/served.hpp"
#include "schedule/descriptor.hpp"
#include "settings/settings.hpp"
#include "sites/site.hpp"

namespace doall::native {
namespace {

using observe::reason;

constinit sharing_price blocks_price{run_empty_blocks};

int run_on_team_timed(start s, std::uint32_t wanted, loop_site& site) {
  stopwatch mine;
  s.timed = &mine;
  const nest_watch watch(site.cost);
  const std::uint64_t start_ns = base::now_ns();
  const int verdict = run_on_team(s, wanted);
  mine.iterations = indices_in(s.loop, mine.iterations);
  if (verdict != 0) {  // it stopped before its end
    site.cost.learn(mine);
    return verdict;
  }
  const std::uint64_t elapsed_ns = base::now_ns() - start_ns;
  site.cost.learn_shared(mine, {s.indices(), elapsed_ns}, wanted, site.together);
  return 0;
}

constinit observe::served_mark served;

// Whether so many indices are too few to share; if not, how to share them.
sharing judge(loop_cost& cost, std::uint64_t indices, std::uint32_t wanted,
              sharing_price::age of_burden = sharing_price::age::asked) {
  if (cost.is_frozen()) [[unlikely]]
    return sharing_price::frozen_best(cost, indices, wanted);
  const sharing best = blocks_price.best(cost.serial_ns(indices), wanted, of_burden);
  if (of_burden == sharing_price::age::asked) cost.note_burden(blocks_price.known_ns(wanted));
  return best;
}

// Why a loop is shared, or not, by the choice that its site has made.
reason reason_of(const loop_cost& cost, reason now) {
  if (!cost.is_frozen()) return now;
  return cost.is_loaded() ? reason::loaded : reason::frozen;
}

// How to share a loop whose cost is known. Not for `none`.
start shared(const doall_loop& loop, std::uint64_t first, sharing how, const loop_cost& cost,
             const schedules::params& given) {
  const reason now = how == sharing::in_blocks ? reason::gains_little : reason::gains_much;
  return {.loop = loop,
          .first = first,
          .how = schedule_for(how, given),
          .worth = iterations_in(loop, cost.iterations_in(worth_a_look_ns)),
          .why = reason_of(cost, now)};
}

// Runs a loop of an unknown site. Runs its first iterations here until a clock can tell how long
// they took, and then decides whether to share the others. Shares a loop of few iterations at once,
// since one of them may be a large part of it. Shares at once, too, a loop whose blocks are
// combined as workers are joined, since thieves may take a part of what is tried.
int probe(const doall_loop& loop, std::uint32_t wanted, loop_site& site,
          const schedules::params& given) {
  loop_cost& cost = site.cost;
  constexpr std::uint64_t iterations_a_worker = 32;
  stealer* const me = find_stealer();
  const bool is_short = loop.iterations / iterations_a_worker < wanted;
  if (is_short || loop.combine != nullptr || observe::enabled() || me == nullptr) {
    return run_on_team_timed({.loop = loop, .how = {nullptr, given}, .why = reason::unknown_cost},
                             wanted, site);
  }
  const auto tried = [&] {
    const open_root outermost(*me, wanted, open_root::clock::at_first_look);
    return try_open(*me, loop, cost);
  }();
  const std::uint64_t left = loop.iterations - tried.next;
  if (tried.verdict != 0 || left == 0) return tried.verdict;
  const sharing best = judge(cost, indices_in(loop, left), wanted);
  if (best != sharing::none) {
    return run_on_team_timed(shared(loop, tried.next, best, cost, given), wanted, site);
  }
  return loop.body(loop.context, tried.next, loop.iterations, 1, 0);
}

// Lets the program's own code run some of the thread's next loops that are too short for so many
// workers. How many is random, so that each of several sites in turn comes here to be timed; what
// is left of earlier ones does not grow, or loops that always come here would keep the others away.
void leave_alone(const doall_loop& loop, std::uint32_t wanted) {
  constexpr std::uint32_t least = 8;
  constexpr std::uint32_t more_most = 16;
  stealer* const me = stealer_here();
  if (me == nullptr || loop.site == nullptr || !may_be_inlined(*me)) return;
  std::uint32_t& left = me->here.alone;
  const std::uint32_t more = least + static_cast<std::uint32_t>(me->dice.below(more_most));
  left = left == 0 ? more : std::min(left, more);
  if (wanted == 1) return;
  constexpr double most_quarters = 64;
  const double longest_ns = loop_cost::any_is_frozen() ? 0 : blocks_price.longest_alone_ns(wanted);
  const double quarters = longest_ns / (worth_a_look_ns / 4);
  me->here.alone_quarters = static_cast<std::uint32_t>(std::min(quarters, most_quarters));
}

// Runs the loop on the caller, and counts it if a report is wanted.
int run_alone(const doall_loop& loop, reason why) {
  if (observe::enabled()) [[unlikely]]
    return run_on_team({.loop = loop, .why = why}, 1);
  return loop.body(loop.context, 0, loop.iterations, 1, 0);
}

// The same for one that may have others inside: the short ones of these then run without the
// runtime.
int run_nest_alone(const doall_loop& loop, const loop_cost& cost, reason why) {
  stealer* const me = cost.nests() ? stealer_here() : nullptr;
  if (me == nullptr || !may_be_inlined(*me)) return run_alone(loop, why);
  const detail::inside_nest_alone inside(&me->here);
  return run_alone(loop, why);
}

// Why a loop of that site runs alone.
reason reason_alone(const doall_loop& loop, const loop_cost& cost) {
  const bool tried = cost.gains_nothing(indices_in(loop, loop.iterations));
  return reason_of(cost, tried ? reason::gains_nothing : reason::too_short);
}

// What a site learns of a run alone that began then and ended so.
int learn_alone(const doall_loop& loop, loop_site& site, std::uint64_t start_ns, int verdict) {
  // None if it stopped before its end.
  const std::uint64_t all = verdict == 0 ? indices_in(loop, loop.iterations) : 0;
  site.cost.learn_alone({all, base::now_ns() - start_ns}, site.together);
  tell_grain_of(loop, site.cost);
  return verdict;
}

int run_alone_timed(const doall_loop& loop, loop_site& site, reason why) {
  const std::uint64_t start_ns = base::now_ns();
  return learn_alone(loop, site, start_ns, run_nest_alone(loop, site.cost, why));
}

// Runs a loop alone that is shared otherwise, to compare; or only its first part, if that is
// enough. Not so a nest, whose loops inside are shared themselves.
int run_trial(const doall_loop& loop, std::uint32_t wanted, sharing otherwise, loop_site& site,
              const schedules::params& given) {
  loop_cost& cost = site.cost;
  const std::uint64_t part = loop.iterations / loop_cost::parts_of_trial;
  const bool in_parts = part > 0 && loop.combine == nullptr && !observe::enabled() && !cost.nests();
  if (!in_parts || !cost.tries_a_part(indices_in(loop, loop.iterations)))
    return run_alone_timed(loop, site, reason::tried_alone);
  const std::uint64_t start_ns = base::now_ns();
  int verdict = loop.body(loop.context, 0, part, 1, 0);
  if (verdict == 0) {
    const stopwatch tried{indices_in(loop, part), base::now_ns() - start_ns};
    if (cost.gains_by_part(tried, site.together))
      return run_on_team(shared(loop, part, otherwise, cost, given), wanted);
    verdict = loop.body(loop.context, part, loop.iterations, 1, 0);
  }
  return learn_alone(loop, site, start_ns, verdict);
}

// Whether a timing of the loop also looks for loops inside it, which costs some ten times a timing.
bool looks_inside(const loop_cost& cost) {
  constexpr std::uint32_t timings_a_look = 16;
  return cost.nests() || !cost.settled() || cost.timings() % timings_a_look == 0;
}

// Runs the loop as an open loop: loops inside it are nested, and idle workers may steal. But not
// from a loop whose blocks are combined as workers are joined, for thieves are not joined.
[[gnu::noinline]] int run_as_root(const doall_loop& loop, std::uint32_t threads, loop_site& site,
                                  timing t) {
  loop_cost& cost = site.cost;
  // Of a loop that gains nothing shared, a run that is stolen from says nothing.
  const bool tried = !cost.is_frozen() && cost.gains_nothing(indices_in(loop, loop.iterations));
  const bool opens = loop.combine == nullptr && !tried && !cost.is_in_trial() && looks_inside(cost);
  if (t == timing::yes && !opens) return run_alone_timed(loop, site, reason_alone(loop, cost));
  stealer* const me = loop.combine == nullptr ? find_stealer() : nullptr;
  if (me == nullptr || observe::enabled()) return run_alone(loop, reason_alone(loop, cost));
  using clock = open_root::clock;
  const open_root outermost(*me, threads, cost.recurses() ? clock::now : clock::at_first_look);
  return run_open(*me, loop, 0, cost, t, pieces::one);
}

// Runs a nest that has fewer iterations than its team would have workers.
int run_short_of_workers(const doall_loop& loop, std::uint32_t threads, loop_site& site) {
  loop_cost& cost = site.cost;
  const auto wanted = static_cast<std::uint32_t>(loop.iterations);
  if (cost.timing_due()) return run_as_root(loop, threads, site, timing::yes);
  using age = sharing_price::age;
  if (!cost.known() ||
      judge(cost, indices_in(loop, loop.iterations), wanted, age::ignored) != sharing::none)
    return run_as_root(loop, threads, site, timing::no);
  leave_alone(loop, wanted);
  return run_nest_alone(loop, cost, reason_alone(loop, cost));
}

// Runs the loop on one worker, where a schedule has nothing to decide.
int run_on_one(const doall_loop& loop) {
  loop_site& site = site_of(loop);
  const bool timed = site.cost.timing_due();
  if (!timed && !site.cost.nests()) return run_alone(loop, reason::too_short);
  return run_as_root(loop, 1, site, timed ? timing::yes : timing::no);
}

// Why a loop that names this schedule has that one; if none, and no cost decides, it is shared.
reason reason_of(bool is_own, const schedules::spec& how) {
  if (how.which == nullptr) return reason::unasked;
  return is_own ? reason::named : reason::steered;
}

}  // namespace

int run_outermost(const doall_loop& loop, std::uint32_t threads) {
  served.note();
  const auto wanted = static_cast<std::uint32_t>(std::min<std::uint64_t>(threads, loop.iterations));
  if (threads == 1 && !observe::enabled()) return run_on_one(loop);
  if (wanted == 1 && !observe::enabled()) {
    leave_alone(loop, wanted);
    return run_alone(loop, reason::too_short);
  }
  if (loop.schedule != nullptr && schedules::is_one_block_each(*loop.schedule)) {
    if (const auto verdict = try_blocks(loop, wanted)) return *verdict;
  }
  schedules::spec how = named_schedule(loop.schedule);
  // Who steers gets just what was named.
  const bool is_own = loop.schedule != nullptr && loop.schedule->which != 0;
  const bool in_any_order =
      is_own && how.which != nullptr &&
      schedules::gains_from_any_order(*how.which, how.given, {loop.iterations, wanted});
  if (in_any_order) how.which = &schedules::for_nonmonotonic_loops();
  // A caller that names costs wants the iterations balanced.
  const bool costed = loop.costs != nullptr || loop.cost_sums != nullptr;
  reason why = in_any_order ? reason::any_order : reason_of(is_own, how);
  if (how.which == nullptr && costed) {
    how = {&schedules::for_costed_loops(), {}};
    why = reason::costs_told;
  }
  if (wanted == 1) why = reason::one_worker;
  if (wanted == 1 || how.which != nullptr || !environment().small_loops_alone) {
    return run_on_team({.loop = loop, .how = how, .why = why}, wanted);
  }
  loop_site& site = site_of(loop);
  loop_cost& cost = site.cost;
  const bool opens = loop.combine == nullptr && !observe::enabled();
  if (cost.recurses() && opens) return run_as_root(loop, threads, site, timing::no);
  // With a team of one worker for each iteration, loops inside could have no more workers.
  if (wanted < threads && cost.nests() && opens) return run_short_of_workers(loop, threads, site);
  const bool freezes = how.given != schedules::params{};
  if (freezes && cost.settled() && !cost.is_frozen()) [[unlikely]]
    cost.freeze(blocks_price.measured_ns(wanted), wanted);
  const bool timing_is_due = cost.timing_due();
  if (!cost.known()) {
    // What is timed of a nest is all of it: a probe ends where it meets the first loop inside.
    if (cost.nests() && opens) return run_as_root(loop, threads, site, timing::yes);
    return probe(loop, wanted, site, how.given);
  }
  const std::uint64_t indices = indices_in(loop, loop.iterations);
  const bool tried = !cost.is_frozen() && cost.gains_nothing(indices);
  if (tried && !timing_is_due) {
    leave_alone(loop, wanted);
    return run_nest_alone(loop, cost, reason::gains_nothing);
  }
  if (!tried || cost.is_trial(false, indices, site.together)) {
    using age = sharing_price::age;
    const sharing best = judge(cost, indices, wanted, timing_is_due ? age::asked : age::ignored);
    if (best != sharing::none) {
      const bool timed = timing_is_due || (best == sharing::balanced && !tried &&
                                           cost.is_hurried(indices, site.together));
      if (timed && !tried && cost.is_trial(true, indices, site.together))
        return run_trial(loop, wanted, best, site, how.given);
      const start s = shared(loop, 0, best, cost, how.given);
      return timed ? run_on_team_timed(s, wanted, site) : run_on_team(s, wanted);
    }
  }
  if (timing_is_due) return run_as_root(loop, threads, site, timing::yes);
  // Of a nest too: a loop inside that should be shared after all is outermost then, and is.
  leave_alone(loop, wanted);
  return run_nest_alone(loop, cost, reason_alone(loop, cost));
}

}  // namespace doall::native
