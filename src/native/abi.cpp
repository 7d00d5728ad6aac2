// The native door: what include/doall/abi.h declares.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/cache_line.hpp"
#include "base/env.hpp"
#include "costs/loop_costs.hpp"
#include "doall/abi.h"
#include "native/open_loops.hpp"
#include "native/outermost.hpp"
#include "native/scope.hpp"
#include "native/scratch.hpp"
#include "native/sharing.hpp"
#include "native/worker_index.hpp"
#include "observe/site.hpp"
#include "schedule/descriptor.hpp"
#include "settings/settings.hpp"
#include "threads/pool.hpp"

namespace doall::native {
namespace {

// Set by doall_set_threads(); 0: not set.
constinit thread_local std::uint32_t threads_set = 0;

// All threads read one of the counts, so they lie apart from what others write.
struct alignas(base::apart_bytes) apart_counts {
  doall_process_counts counts{};
};
constinit apart_counts process_counts;

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

int run(const doall_loop& loop) {
  if (loop.iterations == 0) return 0;
  if (loop.first != 0) return run_late(loop, threads_here());
  stealer* const me = stealer_here();
  return me != nullptr && me->current() != nullptr ? run_nested(*me, loop)
                                                   : run_outermost(loop, threads_here());
}

// Runs the loop with the costs that the thread has named for it (doall_loop_costs_name).
[[gnu::noinline]] int run_with_named_costs(const doall_loop& loop) {
  doall_loop whole{};
  doall_costs named;
  std::memcpy(&whole, &loop, std::min<std::size_t>(loop.size, sizeof whole));
  const bool has_its_own = whole.costs != nullptr || whole.cost_sums != nullptr;
  const bool has_begun = whole.first != 0;
  if (!has_its_own && !has_begun && costs::take_named_costs(named)) whole.costs = &named;
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
  if (pool::lease::domain_workers() != 0) return part(context, 0, 1);
  struct call {
    pool::lease& team;
    domain_part part;
    void* context;
  };
  pool::lease team(threads_here(), barrier::attendance::everyone);
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
  // The next loop has them: it asks the runtime (open_loops.hpp), nested or not.
  if (team::stealer* const me = team::stealer_here()) {
    me->here.inlined = 0;
    me->here.plain_until = 0;
  }
}

int doall_loop_costs_take(doall_costs* costs) {
  // What the first release's has, for callers have room for that and need not say how much.
  constexpr std::uint32_t size = offsetof(doall_costs, identity) + sizeof costs->identity;
  doall_costs taken;
  if (!costs::take_named_costs(taken)) return 0;
  std::memcpy(costs, &taken, size);
  costs->size = size;
  return 1;
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
    if (team::stealer* const me = team::stealer_here()) {
      me->here.inlined = 0;
      me->here.plain_until = 0;
    }
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

uint32_t doall_threads(void) {
  const team::stealer* const me = team::stealer_here();
  const bool is_inside = me != nullptr && me->current() != nullptr;
  return is_inside ? native::most_inside(*me) : native::threads_here();
}

uint32_t doall_set_threads(uint32_t threads) {
  const std::uint32_t before =
      std::exchange(native::threads_set, std::min(threads, team::most_workers));
  // What is too short for a team of another size may gain.
  if (team::stealer* const me = team::stealer_here()) {
    if (before != threads) me->here.plain_until = 0;
    if (me->current() != nullptr) native::set_scope(*me, native::threads_set);
  }
  return before;
}

void* doall_scratch_take(size_t bytes, size_t alignment) {
  return native::take_scratch(bytes, alignment);
}

void doall_scratch_give(void* memory) { native::give_scratch(memory); }

uint32_t doall_worker_index(void) { return native::worker_index(); }

doall_process_counts* doall_counts_here(void) { return &native::process_counts.counts; }

const char* doall_version(void) { return DOALL_VERSION; }

}  // extern "C"
