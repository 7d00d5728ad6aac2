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
#include "team/loop_cursor.hpp"
#include "team/scratch.hpp"
#include "team/settings.hpp"
#include "team/small_loops.hpp"

namespace doall::team {
namespace {

static_assert(sizeof(schedules::spec) <= sizeof(doall_schedule) &&
              std::is_trivially_copyable_v<schedules::spec>);

// What the loop, or who steers it, names; which == nullptr when nobody names one.
schedules::spec named_schedule(const doall_schedule* schedule) {
  schedules::spec how;
  if (schedule != nullptr) std::memcpy(static_cast<void*>(&how), schedule, sizeof how);
  if (how.which == nullptr) how = steering_schedule();
  return how;
}

// What doall_set_threads() has set; 0: nothing.
constinit thread_local std::uint32_t threads_set = 0;

std::uint32_t threads_here() { return threads_set != 0 ? threads_set : environment().threads; }

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

// How long the caller's part of a loop took.
struct stopwatch {
  std::uint64_t iterations = 0;
  std::uint64_t elapsed_ns = 0;
};

// A loop while it runs: what its workers share, in one cache line.
struct alignas(base::line_bytes) running_loop {
  doall_body body;
  void* context;
  loop_slot* slot;
  std::uint64_t first;           // the loop's iterations count from here
  stopwatch* timed;              // the caller's part, if anybody wants to know
  sync::atomic<int> stopped{0};  // what the first body to stop it returned

  // Worker w's part.
  void work(std::uint32_t w) {
    loop_cursor cursor;
    cursor.begin(*slot, w);
    // (1) relaxed; alone: a worker that sees it late runs one chunk more
    while (stopped.load(sync::relaxed) == 0) {
      const schedules::chunk c = cursor.next();
      if (c.empty()) break;
      const int verdict = w == 0 && timed != nullptr ? run_timed(c) : run(c, w);
      if (verdict != 0) {
        int going_on = 0;
        // (2) relaxed; alone: the join publishes it to the caller
        stopped.compare_exchange_strong(going_on, verdict, sync::relaxed, sync::relaxed);
      }
    }
    cursor.end();
  }

 private:
  int run(const schedules::chunk& c, std::uint32_t w) const {
    return body(context, first + c.begin, first + c.end, c.step, w);
  }

  int run_timed(const schedules::chunk& c) const {
    const std::uint64_t start_ns = base::now_ns();
    const int verdict = run(c, 0);
    timed->elapsed_ns += base::now_ns() - start_ns;
    timed->iterations += c.size();
    return verdict;
  }
};

void work_in_loop(const barrier::task& work, std::uint32_t w) {
  // The caller has just written these lines: a worker fetches them side by side
  // and not one after the other.
  const auto* slot = static_cast<const loop_slot*>(work.argument);
  __builtin_prefetch(slot);
  __builtin_prefetch(slot->object);
  static_cast<running_loop*>(work.context)->work(w);
}

// A loop of the source, for the memory of its earlier runs. Loops may share their
// body: all of a C file do, and all in C++ that call one function object. The line
// goes where user addresses have no bits.
const void* identity_of(const doall_loop& loop) {
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(loop.body) ^
                                       (std::uintptr_t{loop.line} << 48));
}

// A loop as it is started: perhaps without its first iterations, which have run.
struct start {
  const doall_loop& loop;
  std::uint64_t first = 0;
  schedules::spec how = {};  // which == nullptr: nobody named one
  stopwatch* timed = nullptr;
  bool reported = true;  // if anybody wants a report

  std::uint64_t iterations() const { return loop.iterations - first; }
};

int run_with(crew::lease& team, loop_slot& slot, const start& s) {
  running_loop running{s.loop.body, s.loop.context, &slot, s.first, s.timed};
  team.run({work_in_loop, &running, nullptr, &slot});
  // (3) relaxed; alone: the join has ordered it
  return running.stopped.load(sync::relaxed);
}

// Worker w's block of a loop that is one block for each. All that such a loop needs
// rides in the task, in the cache line of the flag that releases the worker: no slot, no
// schedule, no line more to be fetched. A body's verdict can stop nobody here, for
// each worker calls it once; it is only kept for the caller.
void work_on_block(const barrier::task& work, std::uint32_t w) {
  const auto iterations = reinterpret_cast<std::uintptr_t>(work.argument);
  const schedules::share mine = schedules::share_of(w, {iterations, work.workers});
  if (mine.size() == 0) return;
  const auto body = std::bit_cast<doall_body>(work.function);
  const int said = body(work.context, mine.begin, mine.end, 1, w);
  if (said == 0) return;
  int going_on = 0;
  // (4) relaxed; alone: the join publishes it to the caller
  crew::shared().verdict().compare_exchange_strong(going_on, said, sync::relaxed, sync::relaxed);
}

int share_blocks(crew::lease& team, const doall_loop& loop) {
  static_assert(sizeof(std::uintptr_t) == sizeof loop.iterations);
  team.run({work_on_block, loop.context, std::bit_cast<void (*)(void*)>(loop.body),
            reinterpret_cast<void*>(loop.iterations), team.size()});
  sync::atomic<int>& verdict = crew::shared().verdict();
  // (5) relaxed; alone: the join has ordered it
  const int said = verdict.load(sync::relaxed);
  // (6) relaxed; alone: the next release publishes it
  if (said != 0) verdict.store(0, sync::relaxed);
  return said;
}

// On up to `wanted` workers.
int share(const start& s, std::uint32_t wanted) {
  const doall_loop& loop = s.loop;
  crew::lease team(wanted);
  observe::site* counted = s.reported
                               ? observe::find_site({observe::site_kind::loop, "native",
                                                     reinterpret_cast<const void*>(loop.body),
                                                     loop.file, loop.function, loop.line})
                               : nullptr;
  if (team.size() == 1 && counted == nullptr) {
    return loop.body(loop.context, s.first, loop.iterations, 1, 0);
  }
  const bool whole = s.first == 0 && s.timed == nullptr && counted == nullptr;
  if (whole && s.how.which != nullptr && is_one_block_each(*s.how.which, s.how.given) &&
      team.size() > 1) {
    return share_blocks(team, loop);
  }
  loop_request request{s.how,
                       {s.iterations(), team.size()},
                       counted,
                       {s.first, 1, loop.iterations},
                       identity_of(loop),
                       {}};
  if (request.how.which == nullptr) request.how.which = &schedules::for_native_loops();
  if (loop.cost_sums != nullptr) request.costs = {loop.cost_sums + s.first, s.iterations()};
  if (!request.costs.given()) warn_of_missing_costs(request.how);
  if (team.size() == 1) {
    loop_ring alone(1, 1);
    const int verdict = run_with(team, alone.open_alone(0, request), s);
    alone.close_alone(0);
    return verdict;
  }
  const std::uint64_t number = team.next_loop()++;
  const int verdict = run_with(team, team.loops().open_alone(number, request), s);
  team.loops().close_alone(number);
  return verdict;
}

int share_timed(start s, std::uint32_t wanted, loop_cost& cost) {
  stopwatch mine;
  s.timed = &mine;
  const int verdict = share(s, wanted);
  cost.learn(mine.iterations, mine.elapsed_ns);
  return verdict;
}

schedules::spec schedule_for(sharing s) {
  if (s == sharing::in_blocks) return {&schedules::for_small_loops(), {}};
  return {&schedules::for_native_loops(), {}};
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
  constexpr std::uint64_t enough_ns = 300;
  constexpr std::uint64_t iterations_a_worker = 32;
  if (loop.iterations / iterations_a_worker < wanted || observe::enabled()) {
    return share_timed({loop}, wanted, cost);
  }
  stopwatch seen;
  const auto run_to = [&](std::uint64_t end) {
    const std::uint64_t start_ns = base::now_ns();
    const int verdict = loop.body(loop.context, seen.iterations, end, 1, 0);
    seen.elapsed_ns += base::now_ns() - start_ns;
    seen.iterations = end;
    return verdict;
  };
  while (seen.elapsed_ns < enough_ns && seen.iterations < loop.iterations) {
    const int verdict = run_to(std::min(2 * seen.iterations + 1, loop.iterations));
    if (verdict != 0) return verdict;
  }
  const double rest_ns = static_cast<double>(seen.elapsed_ns) /
                         static_cast<double>(seen.iterations) *
                         static_cast<double>(loop.iterations - seen.iterations);
  const sharing best = best_sharing(rest_ns, wanted, time_empty_loop_ns);
  if (best != sharing::none) {
    return share_timed({loop, seen.iterations, schedule_for(best)}, wanted, cost);
  }
  const int verdict = seen.iterations == loop.iterations ? 0 : run_to(loop.iterations);
  cost.learn(seen.iterations, seen.elapsed_ns);
  return verdict;
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

int run(const doall_loop& loop) {
  if (loop.iterations == 0) return 0;
  const auto wanted =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(threads_here(), loop.iterations));
  const schedules::spec how = named_schedule(loop.schedule);
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

}  // namespace
}  // namespace doall::team

using namespace doall;

extern "C" {

int doall_run(const doall_loop* loop) {
  // A descriptor of an earlier release is shorter: what it lacks is zero.
  doall_loop whole{};
  std::memcpy(&whole, loop, std::min<std::size_t>(loop->size, sizeof whole));
  return team::run(whole);
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
