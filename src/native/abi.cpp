// The native door: what include/doall/abi.h declares.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "base/env.hpp"
#include "costs/loop_costs.hpp"
#include "doall/abi.h"
#include "native/open_loops.hpp"
#include "native/scratch.hpp"
#include "native/sharing.hpp"
#include "native/worker_index.hpp"
#include "observe/served.hpp"
#include "observe/site.hpp"
#include "schedule/descriptor.hpp"
#include "team/crew.hpp"
#include "team/settings.hpp"
#include "team/site.hpp"
#include "team/small_loops.hpp"

namespace doall::native {
namespace {

using observe::reason;

// Set by doall_set_threads(); 0: not set.
constinit thread_local std::uint32_t threads_set = 0;

std::uint32_t threads_here() {
  const settings& s = environment();
  const std::uint32_t asked = threads_set != 0 ? threads_set : s.threads;
  return s.oversubscribe ? asked : std::min(asked, s.cpus);
}

int hand_over(const schedules::parse_result& parsed, doall_schedule* schedule, char* message,
              std::size_t message_size) {
  if (!parsed) {
    if (message != nullptr) std::snprintf(message, message_size, "%s", parsed.error.c_str());
    return -1;
  }
  *schedule = schedules::make_descriptor(parsed.value);
  return 0;
}

int run_on_team_timed(start s, std::uint32_t wanted, loop_cost& cost) {
  stopwatch mine;
  s.timed = &mine;
  const nest_watch watch(cost);
  const int verdict = run_on_team(s, wanted);
  cost.learn(mine);
  return verdict;
}

constinit sharing_price blocks_price{run_empty_blocks};

constinit observe::served_mark served;

// Whether so many iterations are too few to share; if not, how to share them.
sharing judge(loop_cost& cost, std::uint64_t iterations, std::uint32_t wanted,
              sharing_price::age of_burden = sharing_price::age::asked) {
  if (cost.is_frozen()) [[unlikely]]
    return sharing_price::frozen_best(cost, iterations, wanted);
  const sharing best = blocks_price.best(cost.serial_ns(iterations), wanted, of_burden);
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
          .worth = cost.iterations_in(worth_a_look_ns),
          .why = reason_of(cost, now)};
}

// Runs a loop of an unknown site. Runs its first iterations here until a clock can tell how long
// they took, and then decides whether to share the others. Shares a loop of few iterations at once,
// since one of them may be a large part of it. Shares at once, too, a loop whose blocks are
// combined as workers are joined, since thieves may take a part of what is tried.
int probe(const doall_loop& loop, std::uint32_t wanted, loop_cost& cost,
          const schedules::params& given) {
  constexpr std::uint64_t iterations_a_worker = 32;
  stealer* const me = find_stealer();
  const bool is_short = loop.iterations / iterations_a_worker < wanted;
  if (is_short || loop.combine != nullptr || observe::enabled() || me == nullptr) {
    return run_on_team_timed({.loop = loop, .how = {nullptr, given}, .why = reason::unknown_cost},
                             wanted, cost);
  }
  const auto tried = [&] {
    const open_root outermost(*me, wanted, open_root::clock::at_first_look);
    return try_open(*me, loop, cost);
  }();
  const std::uint64_t left = loop.iterations - tried.next;
  if (tried.verdict != 0 || left == 0) return tried.verdict;
  const sharing best = judge(cost, left, wanted);
  if (best != sharing::none) {
    return run_on_team_timed(shared(loop, tried.next, best, cost, given), wanted, cost);
  }
  return loop.body(loop.context, tried.next, loop.iterations, 1, 0);
}

// Lets the program's own code run some of the thread's next loops that are no longer than this one
// may be. How many is random, so that each of several sites in turn comes here to be timed.
void leave_alone(const doall_loop& loop) {
  constexpr std::uint32_t least = 8;
  constexpr std::uint32_t more_most = 16;
  stealer* const me = stealer_here();
  if (me == nullptr || loop.site == nullptr || !may_be_inlined(*me)) return;
  me->here.alone = least + static_cast<std::uint32_t>(me->dice.below(more_most));
}

// Runs the loop on the caller, and counts it if a report is wanted.
int run_alone(const doall_loop& loop, const loop_cost* cost = nullptr) {
  if (observe::enabled()) [[unlikely]] {
    const reason why = cost == nullptr ? reason::too_short : reason_of(*cost, reason::too_short);
    return run_on_team({.loop = loop, .why = why}, 1);
  }
  return loop.body(loop.context, 0, loop.iterations, 1, 0);
}

int run_alone_timed(const doall_loop& loop, loop_cost& cost) {
  const std::uint64_t start_ns = base::now_ns();
  const int verdict = run_alone(loop, &cost);
  cost.learn(loop.iterations, base::now_ns() - start_ns);
  tell_grain_of(loop, cost);
  return verdict;
}

// Whether a timing of the loop also looks for loops inside it, which costs some ten times a timing.
bool looks_inside(const loop_cost& cost) {
  constexpr std::uint32_t timings_a_look = 16;
  return cost.nests() || !cost.settled() || cost.timings() % timings_a_look == 0;
}

// Runs the loop as an open loop: loops inside it are nested, and idle workers may steal. But not
// from a loop whose blocks are combined as workers are joined, for thieves are not joined.
[[gnu::noinline]] int run_as_root(const doall_loop& loop, std::uint32_t threads, loop_cost& cost,
                                  timing t) {
  if (t == timing::yes && (loop.combine != nullptr || !looks_inside(cost)))
    return run_alone_timed(loop, cost);
  stealer* const me = loop.combine == nullptr ? find_stealer() : nullptr;
  if (me == nullptr || observe::enabled()) return run_alone(loop, &cost);
  using clock = open_root::clock;
  const open_root outermost(*me, threads, cost.recurses() ? clock::now : clock::at_first_look);
  return run_open(*me, loop, 0, cost, t, pieces::one);
}

// Runs the loop on one worker, where a schedule has nothing to decide.
int run_on_one(const doall_loop& loop) {
  loop_cost& cost = site_of(loop).cost;
  const bool timed = cost.timing_due();
  if (!timed && !cost.nests()) return run_alone(loop);
  return run_as_root(loop, 1, cost, timed ? timing::yes : timing::no);
}

// Why a loop that names this schedule has that one; if none, and no cost decides, it is shared.
reason reason_of(bool is_own, const schedules::spec& how) {
  if (how.which == nullptr) return reason::unasked;
  return is_own ? reason::named : reason::steered;
}

// Runs an outermost loop. Not inlined, so that levels of nested loops do not carry its stack frame.
[[gnu::noinline]] int run_outermost(const doall_loop& loop) {
  served.note();
  const std::uint32_t threads = threads_here();
  const auto wanted = static_cast<std::uint32_t>(std::min<std::uint64_t>(threads, loop.iterations));
  if (threads == 1 && !observe::enabled()) return run_on_one(loop);
  if (wanted == 1 && !observe::enabled()) {
    leave_alone(loop);
    return run_alone(loop);
  }
  if (loop.schedule != nullptr && schedules::is_one_block_each(*loop.schedule)) {
    if (const auto verdict = try_blocks(loop, wanted)) return *verdict;
  }
  schedules::spec how = named_schedule(loop.schedule);
  // Who steers gets just what was named.
  const bool is_own = loop.schedule != nullptr && loop.schedule->which != 0;
  if (is_own && how.which != nullptr &&
      schedules::gains_from_any_order(*how.which, how.given, {loop.iterations, wanted})) {
    how.which = &schedules::for_nonmonotonic_loops();
  }
  // A caller that names costs wants the iterations balanced.
  const bool costed = loop.costs != nullptr || loop.cost_sums != nullptr;
  reason why = reason_of(is_own, how);
  if (how.which == nullptr && costed) {
    how = {&schedules::for_costed_loops(), {}};
    why = reason::costs_told;
  }
  if (wanted == 1) why = reason::one_worker;
  if (wanted == 1 || how.which != nullptr || !environment().small_loops_alone) {
    return run_on_team({.loop = loop, .how = how, .why = why}, wanted);
  }
  loop_cost& cost = site_of(loop).cost;
  // With a team of one worker for each iteration, loops inside could have no more workers.
  const bool leaves_some = wanted < threads && cost.nests();
  if ((cost.recurses() || leaves_some) && loop.combine == nullptr && !observe::enabled()) {
    return run_as_root(loop, threads, cost, timing::no);
  }
  const bool freezes = how.given != schedules::params{};
  if (freezes && cost.settled() && !cost.is_frozen()) [[unlikely]]
    cost.freeze(blocks_price.measured_ns(wanted));
  const bool timing_is_due = cost.timing_due();
  if (!cost.known()) return probe(loop, wanted, cost, how.given);
  using age = sharing_price::age;
  const sharing best =
      judge(cost, loop.iterations, wanted, timing_is_due ? age::asked : age::ignored);
  if (best != sharing::none) {
    const start s = shared(loop, 0, best, cost, how.given);
    return timing_is_due ? run_on_team_timed(s, wanted, cost) : run_on_team(s, wanted);
  }
  if (timing_is_due) return run_as_root(loop, threads, cost, timing::yes);
  // Of a nest too: a loop inside that should be shared after all is outermost then, and is.
  leave_alone(loop);
  return run_alone(loop, &cost);
}

int run(const doall_loop& loop) {
  if (loop.iterations == 0) return 0;
  stealer* const me = stealer_here();
  return me != nullptr && me->current() != nullptr ? run_nested(*me, loop) : run_outermost(loop);
}

// Runs the loop with the costs that the thread has named for it (doall_loop_costs_name).
[[gnu::noinline]] int run_with_named_costs(const doall_loop& loop) {
  doall_loop whole{};
  doall_costs named;
  std::memcpy(&whole, &loop, std::min<std::size_t>(loop.size, sizeof whole));
  const bool has_its_own = whole.costs != nullptr || whole.cost_sums != nullptr;
  if (!has_its_own && costs::take_named_costs(named)) whole.costs = &named;
  return run(whole);
}

// Runs a loop from an earlier release, whose descriptor is shorter: what it lacks is zero.
[[gnu::noinline]] int run_shorter(const doall_loop& loop) {
  doall_loop whole{};
  std::memcpy(&whole, &loop, loop.size);
  return run(whole);
}

using domain_part = void (*)(void* context, std::uint32_t domain, std::uint32_t domains);

void run_on_domains(domain_part part, void* context) {
  if (crew::lease::inside_domain()) return part(context, 0, 1);
  struct call {
    crew::lease& team;
    domain_part part;
    void* context;
  };
  crew::lease team(threads_here(), barrier::attendance::everyone);
  call all{team, part, context};
  team.run_on_domains({.run =
                           [](const barrier::task& work, std::uint32_t w) {
                             const auto& all = *static_cast<const call*>(work.context);
                             all.part(all.context, all.team.domain_of(w), all.team.domains());
                           },
                       .context = &all});
}

// `auto` is the choice among all ways to run a loop, so who names it has named none of them, and
// has perhaps said that the choice stays.
schedules::spec or_none(const schedules::spec& how) {
  const bool is_auto = how.which == &schedules::for_native_loops() && how.given.order == 0;
  return is_auto ? schedules::spec{nullptr, how.given} : how;
}

// Of a loop for which nobody names a schedule.
schedules::spec unnamed() {
  return {nullptr,
          environment().unnamed_frozen ? schedules::frozen_choices() : schedules::params{}};
}

}  // namespace

schedules::spec own_schedule(const doall_schedule* schedule) {
  return schedule == nullptr ? schedules::spec{} : or_none(schedules::read_descriptor(*schedule));
}

schedules::spec named_schedule(const doall_schedule* schedule) {
  const bool is_named = schedule != nullptr && schedule->which != 0;
  if (is_named) return own_schedule(schedule);
  const schedules::spec steering = steering_schedule();
  return steering.which != nullptr ? or_none(steering) : unnamed();
}

bool is_for_nested(const doall_schedule* schedule) {
  if (schedule == nullptr || schedule->which == 0)
    return !is_steered() || named_schedule(schedule).which == nullptr;
  const schedules::spec how = own_schedule(schedule);
  return how.which == nullptr ||
         (how.which == &schedules::for_nested_loops() && how.given == schedules::params{});
}

}  // namespace doall::native

using namespace doall;

extern "C" {

int doall_run(const doall_loop* loop) {
  if (costs::costs_are_named()) [[unlikely]]
    return native::run_with_named_costs(*loop);
  return loop->size >= sizeof *loop ? native::run(*loop) : native::run_shorter(*loop);
}

void doall_loop_costs_name(const doall_costs* costs) {
  costs::name_costs(costs);
  if (team::stealer* const me = team::stealer_here()) me->here.alone = 0;  // the next loop has them
}

int doall_schedule_parse(const char* text, doall_schedule* schedule, char* message,
                         size_t message_size) {
  return native::hand_over(schedules::parse(text == nullptr ? "" : text), schedule, message,
                           message_size);
}

int doall_schedule_make(const char* name, const uint64_t* value, doall_schedule* schedule,
                        char* message, size_t message_size) {
  // Handles the usual case without parsing: a known name, and a value that its positional parameter
  // can have. All else goes through the grammar, for its messages.
  schedules::parse_result made;
  made.value.which = schedules::find(name);
  if (made && value != nullptr) {
    const auto& parameters = made.value.which->parameters;
    if (parameters.empty() || !parameters.front().positional || !parameters.front().takes(*value))
      made.value.which = nullptr;
    else
      made.value.given = schedules::params::of_first(*value);
  }
  if (!made) {
    made = schedules::parse(std::string(name) +
                            (value == nullptr ? "" : "," + std::to_string(*value)));
  }
  return native::hand_over(made, schedule, message, message_size);
}

int doall_set_schedule(const char* text) {
  const std::string error = team::set_steering_schedule(text);
  if (error.empty()) {
    // This thread's next nested loop asks the runtime (open_loops.hpp). Other threads' loops ask it
    // after their next look.
    if (team::stealer* const me = team::stealer_here()) me->here.inlined = me->here.alone = 0;
    return 0;
  }
  base::warn("doall_set_schedule: " + error + "; nothing is changed");
  return -1;
}

void doall_get_schedule(char* text, size_t text_size) {
  const schedules::spec how = team::steering_schedule();
  const std::string named = how.which == nullptr ? "" : schedules::to_text(how);
  std::snprintf(text, text_size, "%s", named.c_str());
}

int doall_schedule_deals_blocks(const doall_schedule* schedule) {
  const team::stealer* const here = team::stealer_here();
  if (here != nullptr && here->current() != nullptr) return 0;
  const schedules::spec how = native::own_schedule(schedule);
  const bool blocks = how.which == nullptr || is_one_block_each(*how.which, how.given);
  return blocks && !observe::enabled() ? 1 : 0;
}

void doall_run_on_domains(void (*part)(void* context, uint32_t domain, uint32_t domains),
                          void* context) {
  native::run_on_domains(part, context);
}

uint32_t doall_threads(void) { return native::threads_here(); }

uint32_t doall_set_threads(uint32_t threads) {
  return std::exchange(native::threads_set, std::min(threads, team::most_workers));
}

void* doall_scratch_take(size_t bytes, size_t alignment) {
  return native::take_scratch(bytes, alignment);
}

void doall_scratch_give(void* memory) { native::give_scratch(memory); }

uint32_t doall_worker_index(void) { return native::worker_index(); }

const char* doall_version(void) { return DOALL_VERSION; }

}  // extern "C"
