#include "native/outermost.hpp"

#include <algorithm>
#include <optional>

#include "base/clock.hpp"
#include "base/fork.hpp"
#include "decide/burdens.hpp"
#include "decide/constants.hpp"
#include "decide/decide.hpp"
#include "native/alone.hpp"
#include "native/open_loops.hpp"
#include "native/sharing.hpp"
#include "observe/served.hpp"
#include "schedule/descriptor.hpp"
#include "settings/settings.hpp"
#include "sites/site.hpp"

namespace doall::native {
namespace {

using decide::way;
using observe::reason;

constinit decide::burdens blocks_price{run_empty_blocks, [] { return environment().idle_spin_ns; }};

constinit observe::served_mark served;
[[maybe_unused]] const int forgotten_in_children =
    base::at_fork(nullptr, nullptr, [] { served.forget(); });

// A loop that may be shared, and what is known of it.
struct candidate {
  const doall_loop& loop;
  std::uint32_t workers;  // that can have iterations of it
  std::uint32_t threads;  // those, and who can have iterations of loops inside
  loop_site& site;
  const schedules::params& given;  // auto's
  bool is_short_nest = false;  // with fewer iterations than workers: loops inside have the others

  std::uint64_t indices() const { return indices_in(loop, loop.iterations); }
  // What all of it would have taken, by its rest from loop.first on.
  double whole_ns(double rest_ns) const {
    const auto n = static_cast<double>(loop.iterations);
    return rest_ns * n / (n - static_cast<double>(loop.first));
  }
};

// The burden of sharing it: measured again when it is old, if the loop is long enough to ask.
double burden_for(const candidate& c) {
  loop_cost& cost = c.site.cost;
  const bool asks = !cost.known() || decide::may_gain(cost.serial_ns(c.indices()), c.workers);
  const double ns = asks ? blocks_price.measured_ns(c.workers) : blocks_price.known_ns(c.workers);
  cost.note_burden(ns);
  return ns;
}

// Why a loop is shared, or not, by the choice that its site has made.
reason reason_of(const loop_cost& cost, reason now) {
  if (!cost.is_frozen()) return now;
  return cost.is_loaded() ? reason::loaded : reason::frozen;
}

// How to share a loop whose cost is known. Not for `none`.
start shared(const candidate& c, way how, std::uint64_t first = 0) {
  const loop_cost& cost = c.site.cost;
  const reason now = how == way::in_blocks ? reason::gains_little : reason::gains_much;
  return {.loop = c.loop,
          .first = first,
          .how = schedule_for(how, c.given),
          .worth = iterations_in(c.loop, cost.iterations_in(worth_a_look_ns)),
          .why = reason_of(cost, now)};
}

// Lets the program's own code run the thread's next loops for a while, if they are as short as
// their sites say.
void leave_alone(const doall_loop& loop) {
  stealer* const me = stealer_here();
  if (me == nullptr || loop.site == nullptr || !may_be_inlined(*me)) return;
  me->here.plain_until = base::ticks() + ticks_in(decide::plain_for_ns(me->dice.next()));
}

// Tells the program's own code which loops of that site these are.
void tell_site(const candidate& c) {
  const loop_cost& cost = c.site.cost;
  tell_grain_of(c.loop, cost);
  const bool may_be_long = c.site.times().is_mixed(c.indices());
  // Of a loop that is combined, what has run cannot be handed over when it is late.
  const bool is_whole = c.loop.combine != nullptr || c.loop.join != nullptr;
  tell_plain(
      c.loop, cost,
      is_whole && may_be_long
          ? 0
          : decide::longest_plain_ns(
                cost.is_frozen() ? cost.burden_ns() : blocks_price.known_ns(c.workers), c.workers));
}

// Runs the loop from iteration `first` on on the caller, and counts it if a report is wanted.
int run_alone(const doall_loop& loop, std::uint64_t first, reason why) {
  if (observe::enabled()) [[unlikely]]
    return run_on_team({.loop = loop, .first = first, .why = why}, 1);
  return loop.body(loop.context, first, loop.iterations, 1, 0);
}

// What a site learns of the iterations of a run, for pieces and nests.
class own_timing {
 public:
  own_timing(start& s, loop_cost& cost) : start_(s), cost_(cost), watch_(cost) { s.timed = &own_; }
  ~own_timing() { cost_.learn(indices_in(start_.loop, own_.iterations), own_.elapsed_ns); }
  own_timing(const own_timing&) = delete;
  own_timing& operator=(const own_timing&) = delete;

 private:
  start& start_;
  loop_cost& cost_;
  nest_watch watch_;
  stopwatch own_;
};

// Whether a timing of the loop also looks for loops inside it, which costs some ten times a timing.
bool looks_inside(const loop_cost& cost) {
  constexpr std::uint32_t timings_a_look = 16;
  return cost.nests() || !cost.settled() || cost.timings() % timings_a_look == 0;
}

// Runs the loop as an open loop: loops inside it are nested, and idle workers may steal.
[[gnu::noinline]] int run_as_root(const doall_loop& loop, std::uint64_t first,
                                  std::uint32_t threads, loop_site& site, timing t) {
  loop_cost& cost = site.cost;
  stealer* const me = loop.combine == nullptr ? find_stealer() : nullptr;
  if (me == nullptr || observe::enabled())
    return run_alone(loop, first, reason_of(cost, reason::too_short));
  using clock = open_root::clock;
  const open_root outermost(*me, threads, cost.recurses() ? clock::now : clock::at_first_look);
  return run_open(*me, loop, first, cost, t, pieces::one);
}

// Runs the loop shared, as decided.
int run_shared(const candidate& c, const decide::verdict& v, double burden_ns, bool is_timed) {
  const bool is_new = v.expected_ns == 0;
  start s = is_new ? start{.loop = c.loop, .how = {nullptr, c.given}, .why = reason::unknown_cost}
                   : shared(c, v.how);
  s.first = c.loop.first;
  const std::uint64_t start_ns = base::now_ns();
  const int verdict = [&] {
    if (c.is_short_nest)
      return run_as_root(c.loop, s.first, c.workers, c.site, is_timed ? timing::yes : timing::no);
    std::optional<own_timing> own;
    if (is_timed) own.emplace(s, c.site.cost);
    return run_on_team(s, is_new || c.site.cost.nests() ? c.threads : c.workers);
  }();
  if (verdict != 0) return verdict;  // it stopped before its end
  const auto elapsed_ns = static_cast<double>(base::now_ns() - start_ns);
  c.site.times().learn({c.indices(), false, c.whole_ns(elapsed_ns), burden_ns, v});
  return 0;
}

// Why a loop of that site runs alone.
reason reason_alone(const loop_cost& cost, const decide::verdict& v) {
  if (v.explores) return reason::tried_alone;
  return reason_of(cost, v.gains_nothing ? reason::gains_nothing : reason::too_short);
}

// Takes in a run alone. A usual one is one of many.
void learn_alone(const candidate& c, decide::outcome ran, bool is_timed) {
  const bool is_short = ran.elapsed_ns < decide::always_learnt_ns && ran.ran_alone == 0;
  if (is_short && !is_timed && !ran.by.explores) return;
  c.site.times().learn(ran, decide::runs_stood_for(ran));
  if (!is_timed && ran.ran_alone == 0) return;
  measure_tick();
  if (ran.ran_alone == 0)
    c.site.cost.learn(ran.indices, static_cast<std::uint64_t>(ran.elapsed_ns));
  tell_site(c);
}

// Runs the loop alone to its end, and counts it.
[[gnu::cold]] int run_alone_counted(const candidate& c, const decide::verdict& v,
                                    double burden_ns) {
  const std::uint64_t start_ns = base::now_ns();
  const int verdict = run_alone(c.loop, c.loop.first, reason_alone(c.site.cost, v));
  if (verdict != 0) return verdict;
  const auto elapsed_ns = c.whole_ns(static_cast<double>(base::now_ns() - start_ns));
  learn_alone(c, {c.indices(), true, elapsed_ns, burden_ns, v}, true);
  return 0;
}

// Shares the rest of a loop from iteration `first` on.
int run_rest(const candidate& c, const alone_run& run) {
  if (c.is_short_nest) return run_as_root(c.loop, run.next, c.workers, c.site, timing::no);
  start rest = shared(c, way::balanced, run.next);
  rest.worth = iterations_in(
      c.loop, static_cast<std::uint64_t>(worth_a_look_ns / std::max(run.index_ns, 1e-3)) + 1);
  return run_on_team(rest, c.workers);
}

// Runs the loop alone, or its rest from iteration `first` on, which was reached after so long.
int run_alone_as(const candidate& c, const decide::verdict& v, double burden_ns, bool is_timed,
                 std::uint64_t first, double before_ns = 0) {
  if (observe::enabled()) [[unlikely]]
    return run_alone_counted(c, v, burden_ns);
  const alone_run run = run_until_recalled(c.loop, v.alone, first, before_ns);
  if (run.verdict != 0) return run.verdict;
  decide::outcome seen{c.indices(), true, c.whole_ns(run.elapsed_ns), burden_ns, v};
  if (!run.is_recalled(c.loop)) {
    learn_alone(c, seen, is_timed);
    return 0;
  }
  seen.ran_alone = indices_in(c.loop, run.next);
  seen.alone_ns = run.elapsed_ns;
  seen.last_ns = run.index_ns;
  const std::uint64_t start_ns = base::now_ns();
  const int verdict = run_rest(c, run);
  if (verdict != 0) return verdict;
  seen.elapsed_ns = run.elapsed_ns + static_cast<double>(base::now_ns() - start_ns);
  learn_alone(c, seen, is_timed);
  return 0;
}

// Runs a new loop: its first iterations as an open loop, until a clock can tell how long they took,
// and all of it if these meet other loops.
int probe(const candidate& c, const decide::verdict& v, double burden_ns) {
  stealer* const me = find_stealer();
  if (c.loop.combine != nullptr || observe::enabled() || me == nullptr)
    return run_shared(c, v, burden_ns, true);
  const std::uint64_t start_ns = base::now_ns();
  const auto tried = [&] {
    const open_root outermost(*me, c.threads, open_root::clock::at_first_look);
    return try_open(*me, c.loop, c.site.cost);
  }();
  if (tried.verdict != 0) return tried.verdict;
  const auto before_ns = static_cast<double>(base::now_ns() - start_ns);
  if (tried.next == c.loop.iterations) {
    c.site.times().learn({c.indices(), true, before_ns, burden_ns, v});
    return 0;
  }
  return run_alone_as(c, v, burden_ns, true, tried.next, before_ns);
}

// Runs the loop on one worker, where a schedule has nothing to decide.
int run_on_one(const doall_loop& loop) {
  loop_site& site = site_of(loop);
  loop_cost& cost = site.cost;
  const bool timed = cost.timing_due();
  if (!timed && !cost.nests()) return run_alone(loop, 0, reason::too_short);
  if (timed && (loop.combine != nullptr || !looks_inside(cost))) {
    const std::uint64_t start_ns = base::now_ns();
    const int verdict = run_alone(loop, 0, reason::too_short);
    if (verdict == 0) cost.learn(indices_in(loop, loop.iterations), base::now_ns() - start_ns);
    tell_grain_of(loop, cost);
    return verdict;
  }
  return run_as_root(loop, 0, 1, site, timed ? timing::yes : timing::no);
}

// Runs a loop whose site's choice stays as it is: nothing is learnt, explored or recalled.
int run_frozen(const candidate& c) {
  const loop_cost& cost = c.site.cost;
  const way how = decide::decide({c.indices(), c.workers, cost.burden_ns(), decide::no_chance},
                                 decide::known_cost(cost.serial_ns(1)))
                      .how;
  if (how != way::alone && c.loop.first == 0) return run_on_team(shared(c, how), c.workers);
  tell_site(c);
  leave_alone(c.loop);
  return run_alone(c.loop, c.loop.first, reason_of(cost, reason::too_short));
}

int run_as_decided(const candidate& c, bool opens) {
  loop_cost& cost = c.site.cost;
  decide::site_times& times = c.site.times();
  const std::uint64_t indices = c.indices();
  const std::uint64_t first = c.loop.first;
  const bool timing_is_due = !cost.settled() || times.roll() % decide::runs_a_timing == 0;
  decide::verdict v{.how = way::alone};
  if (!timing_is_due && times.is_usual(indices, v.alone)) {
    leave_alone(c.loop);
    return run_alone_as(c, v, 0, false, first);
  }
  const decide::site_view known = times.view(indices);
  const double burden_ns = burden_for(c);
  v = decide::decide({indices, c.workers, burden_ns, times.roll()}, known);
  // Nothing is known of what a new loop gains.
  const bool is_new = known.is_new();
  if (v.how != way::alone && !v.explores && !is_new && !blocks_price.wakes(v.gain_ns))
    v.how = way::alone;
  if (v.how != way::alone) return run_shared(c, v, burden_ns, timing_is_due);
  if (is_new && first == 0) return probe(c, v, burden_ns);
  // A nest that may be long runs as a root: its iterations can be stolen from before they end. A
  // run that is stolen from says nothing of a loop that gains nothing shared.
  const bool may_be_long = v.explores || v.gains_nothing || known.alone.runs == 0;
  if (opens && (cost.nests() ? timing_is_due || may_be_long
                             : timing_is_due && !may_be_long && looks_inside(cost))) {
    const std::uint64_t start_ns = base::now_ns();
    const int verdict = run_as_root(c.loop, first, c.threads, c.site, timing::yes);
    const auto elapsed_ns = c.whole_ns(static_cast<double>(base::now_ns() - start_ns));
    if (verdict == 0) times.learn({indices, true, elapsed_ns, burden_ns, v});
    tell_site(c);
    return verdict;
  }
  if (!timing_is_due) leave_alone(c.loop);
  return run_alone_as(c, v, burden_ns, timing_is_due, first);
}

// Runs a loop for which nobody names a schedule.
int run_by_choice(const doall_loop& loop, std::uint32_t wanted, std::uint32_t threads,
                  const schedules::params& given) {
  loop_site& site = site_of(loop);
  site.times();  // made now, so that a later run, which first asks for them, allocates nothing
  loop_cost& cost = site.cost;
  const bool opens = loop.combine == nullptr && !observe::enabled();
  if (cost.recurses() && opens) return run_as_root(loop, loop.first, threads, site, timing::no);
  // With a team of one worker for each iteration, loops inside could have no more workers.
  const bool is_short_nest = wanted < threads && cost.nests() && opens;
  // A worker of a combined loop has a part of it, so there are no others.
  const std::uint32_t all = loop.combine == nullptr ? threads : wanted;
  const candidate c{loop, is_short_nest ? threads : wanted, all, site, given, is_short_nest};
  const bool freezes = given != schedules::params{};
  if (freezes && cost.settled() && !cost.is_frozen()) [[unlikely]]
    cost.freeze(site.times().break_even_ns(blocks_price.measured_ns(c.workers), c.workers));
  if (cost.is_frozen()) [[unlikely]]
    return run_frozen(c);
  // What is timed of a nest is all of it: a probe ends where it meets the first loop inside.
  if (!cost.known() && cost.nests() && opens)
    return run_as_root(loop, loop.first, threads, site, timing::yes);
  return run_as_decided(c, opens);
}

// The workers of a loop that names its schedule. Where it has fewer iterations than there are
// threads, loops inside could have no more than one for each of these. So it has all threads in its
// first run, once a run has met loops inside, and where workers come as thieves.
struct named_team {
  std::uint32_t workers;
  std::optional<own_timing> timing;
  std::optional<nest_watch> watch;

  named_team(start& s, std::uint32_t wanted, std::uint32_t threads) : workers(wanted) {
    if (wanted == 1 || wanted == threads || s.loop.combine != nullptr) return;
    loop_cost& cost = site_of(s.loop).cost;
    const bool is_first = !cost.known();
    const auto* const splitting = s.how.which != nullptr ? s.how.which->splits : nullptr;
    const bool has_thieves = splitting != nullptr && !splitting->rather_flat;
    if (is_first || cost.nests() || has_thieves) workers = threads;
    if (splitting != nullptr || cost.nests() || find_stealer() == nullptr) return;
    if (is_first) timing.emplace(s, cost);
    if (!is_first) watch.emplace(cost);
  }
};

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
    leave_alone(loop);
    return run_alone(loop, 0, reason::too_short);
  }
  if (wanted == threads && loop.schedule != nullptr &&
      schedules::is_one_block_each(*loop.schedule)) {
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
    start s{.loop = loop, .how = how, .why = why};
    const named_team team(s, wanted, threads);
    return run_on_team(s, team.workers);
  }
  return run_by_choice(loop, wanted, threads, how.given);
}

int run_late(const doall_loop& loop, std::uint32_t threads) {
  const auto wanted = static_cast<std::uint32_t>(std::min<std::uint64_t>(threads, loop.iterations));
  const stealer* const me = stealer_here();
  const bool decides = wanted > 1 && environment().small_loops_alone && me != nullptr &&
                       me->current() == nullptr && may_be_inlined(*me) && !observe::enabled();
  const schedules::spec how = named_schedule(loop.schedule);  // which may have been steered since
  if (decides && how.which == nullptr) return run_by_choice(loop, wanted, threads, how.given);
  return loop.body(loop.context, loop.first, loop.iterations, 1, 0);
}

}  // namespace doall::native
