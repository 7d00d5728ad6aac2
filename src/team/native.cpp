// The native door: what include/doall/abi.h declares.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "base/env.hpp"
#include "doall/abi.h"
#include "team/crew.hpp"
#include "team/loop_costs.hpp"
#include "team/native_sharing.hpp"
#include "team/scratch.hpp"
#include "team/settings.hpp"
#include "team/small_loops.hpp"

namespace doall::team {
namespace {

static_assert(sizeof(schedules::spec) <= sizeof(doall_schedule) &&
              std::is_trivially_copyable_v<schedules::spec>);

// What doall_set_threads() has set; 0: nothing.
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
  *schedule = {};
  std::memcpy(schedule, &parsed.value, sizeof parsed.value);
  return 0;
}

int share_timed(start s, std::uint32_t wanted, loop_cost& cost) {
  stopwatch mine;
  s.timed = &mine;
  const int verdict = share(s, wanted);
  cost.learn(mine);
  return verdict;
}

// How long an empty loop takes, in blocks, on so many workers, an iteration each.
double time_empty_loop_ns(std::uint32_t workers) {
  doall_loop empty{};
  empty.iterations = workers;
  empty.body = [](void*, std::uint64_t, std::uint64_t, std::uint64_t, std::uint32_t) { return 0; };
  const start in_blocks{.loop = empty, .how = schedule_for(sharing::in_blocks), .reported = false};
  const std::uint64_t start_ns = base::now_ns();
  share(in_blocks, workers);
  return static_cast<double>(base::now_ns() - start_ns);
}

// A loop of which nothing is known: its first iterations run here, until they have
// taken as long as a clock can tell. Then it is clear whether to share the others.
// Of a loop with few iterations one may be a large part, so it is shared at once.
int probe(const doall_loop& loop, std::uint32_t wanted, loop_cost& cost) {
  constexpr std::uint64_t iterations_a_worker = 32;
  if (loop.iterations / iterations_a_worker < wanted || observe::enabled()) {
    return share_timed({loop}, wanted, cost);
  }
  stopwatch seen;
  if (const int verdict = run_first(loop, seen); verdict != 0) return verdict;
  const double rest_ns = static_cast<double>(seen.elapsed_ns) /
                         static_cast<double>(seen.iterations) *
                         static_cast<double>(loop.iterations - seen.iterations);
  const sharing best = best_sharing(rest_ns, wanted, time_empty_loop_ns);
  if (best != sharing::none) {
    return share_timed({loop, seen.iterations, schedule_for(best)}, wanted, cost);
  }
  cost.learn(seen);
  if (seen.iterations == loop.iterations) return 0;
  return loop.body(loop.context, seen.iterations, loop.iterations, 1, 0);
}

// On the caller, but counted if somebody wants a report.
int run_alone(const doall_loop& loop) {
  if (observe::enabled()) [[unlikely]]
    return share({loop}, 1);
  return loop.body(loop.context, 0, loop.iterations, 1, 0);
}

int run_alone_timed(const doall_loop& loop, loop_cost& cost) {
  const std::uint64_t start_ns = base::now_ns();
  const int verdict = run_alone(loop);
  cost.learn(loop.iterations, base::now_ns() - start_ns);
  return verdict;
}

// With one worker a schedule has nothing to decide.
int run_on_one(const doall_loop& loop) {
  if (loop.site == nullptr || !is_for_nested(loop.schedule)) return run_alone(loop);
  return run_whole_timed(loop, cost_of(identity_of(loop)), 0);
}

// Of a loop that is nested in nothing. Its stack is not to be in the nested ones' levels.
[[gnu::noinline]] int run_outermost(const doall_loop& loop) {
  const auto wanted =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(threads_here(), loop.iterations));
  if (wanted == 1 && !observe::enabled()) return run_on_one(loop);
  schedules::spec how = named_schedule(loop.schedule);
  // Who says what iterations cost wants them to be balanced.
  const bool costed = loop.costs != nullptr || loop.cost_sums != nullptr;
  if (how.which == nullptr && costed) how.which = &schedules::for_costed_loops();
  if (wanted == 1 || how.which != nullptr || !environment().small_loops_alone) {
    return share({loop, 0, how}, wanted);
  }
  loop_cost& cost = cost_of(identity_of(loop));
  const bool timing = cost.timing_due();
  if (!cost.known()) return probe(loop, wanted, cost);
  const sharing best = best_sharing(cost.serial_ns(loop.iterations), wanted, time_empty_loop_ns);
  if (best != sharing::none) {
    const start s{loop, 0, schedule_for(best)};
    return timing ? share_timed(s, wanted, cost) : share(s, wanted);
  }
  return timing ? run_alone_timed(loop, cost) : run_alone(loop);
}

int run(const doall_loop& loop) {
  if (loop.iterations == 0) return 0;
  stealer* const me = stealer_here();
  return me != nullptr && me->current != nullptr ? run_nested(*me, loop) : run_outermost(loop);
}

// With what the thread has said of its next loop's costs (doall_loop_costs_name).
[[gnu::noinline]] int run_with_named_costs(const doall_loop& loop) {
  doall_loop whole{};
  doall_costs named;
  std::memcpy(&whole, &loop, std::min<std::size_t>(loop.size, sizeof whole));
  const bool has_its_own = whole.costs != nullptr || whole.cost_sums != nullptr;
  if (!has_its_own && take_named_costs(named)) whole.costs = &named;
  return run(whole);
}

// A descriptor of an earlier release is shorter: what it lacks is zero.
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
  crew::lease team(threads_here());
  call all{team, part, context};
  team.run_on_domains({.run =
                           [](const barrier::task& work, std::uint32_t w) {
                             const auto& all = *static_cast<const call*>(work.context);
                             all.part(all.context, all.team.domain_of(w), all.team.domains());
                           },
                       .context = &all});
}

}  // namespace

schedules::spec named_schedule(const doall_schedule* schedule) {
  schedules::spec how;
  if (schedule != nullptr) std::memcpy(static_cast<void*>(&how), schedule, sizeof how);
  if (how.which == nullptr) how = steering_schedule();
  return how;
}

bool is_for_nested(const doall_schedule* schedule) {
  schedules::spec how;
  if (schedule != nullptr) std::memcpy(static_cast<void*>(&how), schedule, sizeof how);
  if (how.which == nullptr) return !is_steered();
  return how.which == &schedules::for_nested_loops() && how.given == schedules::params{};
}

}  // namespace doall::team

using namespace doall;

extern "C" {

int doall_nobody_idle(void) {
  team::stealer* const me = team::stealer_here();
  if (me == nullptr || me->current == nullptr) return team::threads_here() == 1 ? 1 : 0;
  return team::nobody_seems_idle(*me) ? 1 : 0;
}

int doall_run(const doall_loop* loop) {
  if (team::costs_are_named()) [[unlikely]]
    return team::run_with_named_costs(*loop);
  return loop->size >= sizeof *loop ? team::run(*loop) : team::run_shorter(*loop);
}

int doall_schedule_parse(const char* text, doall_schedule* schedule, char* message,
                         size_t message_size) {
  return team::hand_over(schedules::parse(text == nullptr ? "" : text), schedule, message,
                         message_size);
}

int doall_schedule_make(const char* name, const uint64_t* value, doall_schedule* schedule,
                        char* message, size_t message_size) {
  // The usual case without a text: a known name, and a value its positional
  // parameter can have. All else goes through the grammar, for its messages.
  schedules::parse_result made;
  made.value.which = schedules::find(name);
  if (made && value != nullptr) {
    const auto& parameters = made.value.which->parameters;
    const auto positional = std::ranges::find_if(parameters, &schedules::parameter::positional);
    if (*value == 0 || positional == parameters.end())
      made.value.which = nullptr;
    else
      made.value.given.*(positional->field) = *value;
  }
  if (!made) {
    made = schedules::parse(std::string(name) +
                            (value == nullptr ? "" : "," + std::to_string(*value)));
  }
  return team::hand_over(made, schedule, message, message_size);
}

int doall_set_schedule(const char* text) {
  const std::string error = team::set_steering_schedule(text);
  if (error.empty()) return 0;
  base::warn("doall_set_schedule: " + error + "; nothing is changed");
  return -1;
}

int doall_schedule_deals_blocks(const doall_schedule* schedule) {
  const team::stealer* const here = team::stealer_here();
  if (here != nullptr && here->current != nullptr) return 0;
  schedules::spec how;
  if (schedule != nullptr) std::memcpy(static_cast<void*>(&how), schedule, sizeof how);
  const bool blocks = how.which == nullptr || is_one_block_each(*how.which, how.given);
  return blocks && !observe::enabled() ? 1 : 0;
}

void doall_run_on_domains(void (*part)(void* context, uint32_t domain, uint32_t domains),
                          void* context) {
  team::run_on_domains(part, context);
}

uint32_t doall_threads(void) { return team::threads_here(); }

uint32_t doall_set_threads(uint32_t threads) {
  return std::exchange(team::threads_set, std::min(threads, team::most_workers));
}

void* doall_scratch_take(size_t bytes, size_t alignment) {
  return team::take_scratch(bytes, alignment);
}

void doall_scratch_give(void* memory) { team::give_scratch(memory); }

const char* doall_version(void) { return DOALL_VERSION; }

}  // extern "C"
