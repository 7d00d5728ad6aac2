#include "native/sharing.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "base/clock.hpp"
#include "costs/cost_makers.hpp"
#include "loops/loop_cursor.hpp"
#include "sites/site.hpp"
#include "threads/pool.hpp"

namespace doall::native {
namespace {

// A running loop: what its workers share, in one cache line.
struct alignas(base::line_bytes) running_loop {
  doall_body body;
  void* context;
  loop_slot* slot;
  std::uint64_t first;           // the loop's iterations count from here
  stopwatch* timed;              // for the caller's part; null: not timed
  sync::atomic<int> stopped{0};  // what the first body to stop it returned

  // Runs worker w's part.
  void work(std::uint32_t w) {
    loop_cursor cursor;
    cursor.begin(*slot, w, {.first = first}, loop_cursor::pace::chunks);
    numbers c{};
    // (1) relaxed; alone: a worker that sees it late runs one chunk more
    while (stopped.load(sync::relaxed) == 0) {
      if (!cursor.next_chunk(&c.begin, &c.end, &c.step)) break;
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
  // A chunk in the loop's own numbers.
  struct numbers {
    std::uint64_t begin, end, step;
  };

  int run(const numbers& c, std::uint32_t w) const {
    return body(context, c.begin, c.end, c.step, w);
  }

  int run_timed(const numbers& c) const {
    const std::uint64_t start_ns = base::now_ns();
    const int verdict = run(c, 0);
    timed->elapsed_ns += base::now_ns() - start_ns;
    timed->iterations += schedules::chunk{c.begin, c.end, c.step}.size();
    return verdict;
  }
};

void work_in_loop(const barrier::task& work, std::uint32_t w) {
  // The caller has just written these lines: fetch them side by side, not one after the other.
  const auto* slot = static_cast<const loop_slot*>(work.argument);
  __builtin_prefetch(slot);
  __builtin_prefetch(slot->object);
  static_cast<running_loop*>(work.context)->work(w);
}

int run_with(pool::lease& team, loop_slot& slot, const start& s) {
  // A team of one is in the loop that its caller is in.
  const bool alone = team.size() == 1;
  const inside_loop nested(alone ? nullptr : find_stealer(), alone ? nullptr : team.loop());
  running_loop running{s.loop.body, s.loop.context, &slot, s.first, s.timed};
  team.run({.run = work_in_loop,
            .context = &running,
            .argument = &slot,
            .who = barrier::attendance::whoever_comes});
  // (3) relaxed; alone: the join has ordered it
  return running.stopped.load(sync::relaxed);
}

int run_in_slot(pool::lease& team, const loop_request& request, const start& s) {
  if (team.size() == 1) {
    loop_ring alone(1, 1);
    const int verdict = run_with(team, alone.open_alone(0, request), s);
    alone.close_alone(0);
    return verdict;
  }
  loop_ring& loops = team.loops();          // the child of a fork in the loop has another, or none
  const std::uint64_t number = loops.next;  // the next loop's too: loop_ring::open_alone()
  const int verdict = run_with(team, loops.open_alone(number, request), s);
  loops.close_alone(number);
  return verdict;
}

// The costs that the loop names; null: none. Converts those that programs of an earlier release
// name, in `room`.
const doall_costs* told_costs(const doall_loop& loop, doall_costs& room) {
  if (loop.costs != nullptr || loop.cost_sums == nullptr) return loop.costs;
  room = {};
  room.size = sizeof room;
  room.kind = DOALL_COSTS_SUMS;
  room.iterations = loop.iterations;
  room.data = room.identity = loop.cost_sums;
  return &room;
}

// Where the bodies of block loops store the verdict that stops the loop.
sync::atomic<int>& verdict_of(const pool::lease& team) { return pool::verdict(team.first()); }

// Takes what the first body to stop a block loop returned, for its caller; 0: none did.
int take_verdict(sync::atomic<int>& verdict) {
  // (4) relaxed; alone: the join has ordered it
  const int said = verdict.load(sync::relaxed);
  // (5) relaxed; alone: the next release publishes it
  if (said != 0) verdict.store(0, sync::relaxed);
  return said;
}

void give_verdict(const barrier::task& work, int said) {
  int going_on = 0;
  // (6) relaxed; alone: the join publishes it to the caller
  pool::verdict(work.first).compare_exchange_strong(going_on, said, sync::relaxed, sync::relaxed);
}

// Runs worker w's block of a loop with one block for each worker. The task has all that such a loop
// needs, in the cache line of the flag that releases the worker, and in the next one the context,
// if it may be copied: there is no slot, no schedule, and no other line to fetch. A body's verdict
// stops no worker here, for each calls the body once; it is only kept for the caller.
void work_on_block(const barrier::task& work, std::uint32_t w) {
  const auto iterations = reinterpret_cast<std::uintptr_t>(work.argument);
  const schedules::range mine = schedules::partition_of(w, {iterations, work.workers});
  if (mine.size() == 0) return;
  const auto body = std::bit_cast<doall_body>(work.function);
  const int said = body(work.context, mine.begin, mine.end, 1, w);
  if (said != 0) give_verdict(work, said);
}

// How many words of the loop's context the task carries.
std::uint8_t words_carried(const doall_loop& loop) {
  constexpr std::uint64_t word = sizeof(std::uint64_t);
  if (loop.copied % word != 0 || loop.copied / word > barrier::most_carried) return 0;
  return static_cast<std::uint8_t>(loop.copied / word);
}

int run_blocks(pool::lease& team, const doall_loop& loop) {
  static_assert(sizeof(std::uintptr_t) == sizeof loop.iterations);
  sync::atomic<int>& verdict = verdict_of(team);
  const inside_loop nested(find_stealer(), team.loop());
  team.run({.run = work_on_block,
            .context = loop.context,
            .function = std::bit_cast<void (*)(void*)>(loop.body),
            .argument = reinterpret_cast<void*>(loop.iterations),
            .who = barrier::attendance::whoever_comes,
            .carried = words_carried(loop)});
  return take_verdict(verdict);
}

// The same for a loop whose blocks are joined, or combined, as the workers are joined.
struct joined_blocks {
  const start& s;
  std::uint64_t length;
  std::uint64_t longer;  // this many blocks, the first ones, have one iteration more

  joined_blocks(const start& of, std::uint32_t workers)
      : s(of), length(of.iterations() / workers), longer(of.iterations() % workers) {}

  std::uint64_t first(std::uint32_t w) const {
    return s.first + w * length + std::min<std::uint64_t>(w, longer);
  }
};

void work_on_joined_block(const barrier::task& work, std::uint32_t w) {
  const auto& all = *static_cast<const joined_blocks*>(work.context);
  const doall_loop& loop = all.s.loop;
  const std::uint64_t begin = all.first(w);
  const std::uint64_t end = all.first(w + 1);
  if (begin == end && loop.combine == nullptr) return;
  const std::uint64_t start_ns = w == 0 && all.s.timed != nullptr ? base::now_ns() : 0;
  const int said = loop.body(loop.context, begin, end, 1, w);
  if (start_ns != 0) *all.s.timed = {end - begin, base::now_ns() - start_ns};
  if (said != 0) give_verdict(work, said);
}

void join_blocks(void* of, std::uint32_t into, std::uint32_t from) {
  const auto& all = *static_cast<const joined_blocks*>(of);
  const doall_loop& loop = all.s.loop;
  if (loop.combine != nullptr) return loop.combine(loop.context, into, from);
  const std::uint64_t right = all.first(from);
  if (right != all.first(from + 1)) loop.join(loop.context, all.first(into), right);
}

int run_joined(pool::lease& team, const start& s) {
  sync::atomic<int>& verdict = verdict_of(team);
  joined_blocks all(s, team.size());
  const inside_loop nested(find_stealer(), team.loop());
  team.run({.run = work_on_joined_block,
            .context = &all,
            .function = std::bit_cast<void (*)(void*)>(&join_blocks),
            .who = barrier::attendance::whoever_comes,
            .combines = true});
  return take_verdict(verdict);
}

// Whether the loop runs by stealing: its schedule splits it, or another caller leases the pool, so
// that only workers that are idle there can come.
bool is_for_stealing(const start& s, const pool::lease& team, std::uint32_t wanted) {
  if (s.loop.combine != nullptr) return false;
  if (team.size() == 1) return wanted > 1;
  return s.how.which != nullptr && s.how.which->splits != nullptr;
}

// Whether the flat form of the splitting schedule serves. Not in the first run of a site, which
// tells what an iteration costs, nor when its iterations have met other loops.
bool is_for_flat_form(const start& s, const pool::lease& team, const loop_cost& cost) {
  return team.size() > 1 && s.how.which->splits->rather_flat && cost.known() && !cost.nests() &&
         !observe::enabled();
}

}  // namespace

schedules::spec schedule_for(decide::way w, const schedules::params& given) {
  if (w == decide::way::in_blocks) return {&schedules::for_small_loops(), {}};
  return {&schedules::for_native_loops(), given};
}

decide::empty_run run_empty_blocks(std::uint32_t workers) {
  // Written only when a worker has not come and another thread runs its part.
  struct presence {
    std::uint32_t first;
    sync::atomic<bool> complete{true};
  };
  const std::uint64_t start_ns = base::now_ns();
  pool::lease team(workers);
  if (team.size() != workers) return {decide::empty_run::by::another_team, 0};
  presence seen{team.first()};
  doall_loop empty{};
  empty.iterations = workers;
  empty.context = &seen;
  empty.body = [](void* context, std::uint64_t, std::uint64_t, std::uint64_t, std::uint32_t w) {
    auto& all = *static_cast<presence*>(context);
    const stealer* const me = stealer_here();
    const bool came = w == 0 || (me != nullptr && me->number == all.first + w);
    // (7) relaxed; alone: the join publishes it to the caller
    if (!came) all.complete.store(false, sync::relaxed);
    return 0;
  };
  run_blocks(team, empty);
  const auto elapsed_ns = static_cast<double>(base::now_ns() - start_ns);
  // (8) relaxed; alone: the join has ordered it
  const bool complete = seen.complete.load(sync::relaxed);
  return {complete ? decide::empty_run::by::all_workers : decide::empty_run::by::late_workers,
          elapsed_ns};
}

// Runs a loop that is counted as a whole or not at all.
template <class Run>
int run_counted(const observe::counting& as, const start& s, std::uint32_t workers, Run run) {
  if (!as.as_a_whole()) return run();
  const std::uint64_t opened_ticks = base::ticks();
  const int verdict = run();
  const observe::execution_times when{opened_ticks, base::ticks()};
  schedules::spec how = s.how;
  if (how.which == nullptr) how.which = &schedules::for_native_loops();
  observe::add_whole(as, {how, workers, s.why}, when, s.iterations());
  return verdict;
}

std::optional<int> try_blocks(const doall_loop& loop, std::uint32_t wanted) {
  if (wanted == 1 || loop.combine != nullptr || observe::enabled()) return {};
  pool::lease team(wanted);
  if (team.size() == 1) return {};
  return loop.join != nullptr ? run_joined(team, {.loop = loop}) : run_blocks(team, loop);
}

int run_on_team(const start& s, std::uint32_t wanted) {
  const doall_loop& loop = s.loop;
  pool::lease team(wanted);
  if (loop.combine != nullptr && team.size() > 1) return run_joined(team, s);
  std::optional<nest_watch> flat;
  if (is_for_stealing(s, team, wanted)) {
    stealer* const me = find_stealer();
    loop_cost& cost = site_of(loop).cost;
    if (is_for_flat_form(s, team, cost))
      flat.emplace(cost);
    else if (me != nullptr)
      return run_stealable(*me, s, wanted);
  }
  const observe::counting counted =
      count_execution(key_of(loop), observe::site_kind::loop, "native", loop.function);
  if (team.size() == 1 && (!counted.in_detail() || loop.combine != nullptr)) {
    const bool is_counted = loop.combine == nullptr;
    return run_counted(is_counted ? counted : observe::counting{}, s, 1,
                       [&] { return loop.body(loop.context, s.first, loop.iterations, 1, 0); });
  }
  const bool joins = loop.join != nullptr;
  const bool whole = joins || (s.first == 0 && s.timed == nullptr);
  if (whole && s.how.which != nullptr && is_one_block_each(*s.how.which, s.how.given) &&
      team.size() > 1 && !counted.in_detail()) {
    return run_counted(counted, s, team.size(),
                       [&] { return joins ? run_joined(team, s) : run_blocks(team, loop); });
  }
  // What a schedule remembers is of whole loops; a rest has no memory, and makes none.
  const site_key remembers = s.first == 0 ? key_of(loop) : site_key{};
  loop_request request{s.how,     {s.iterations(), team.size()},
                       counted,   {s.first, 1, loop.iterations},
                       remembers, {},
                       nullptr,   s.worth,
                       s.why};
  if (request.how.which == nullptr) request.how.which = &schedules::for_native_loops();
  doall_costs room;
  const costs::costed_loop costed =
      costs::with_costs(request.how, request.shape, told_costs(loop, room),
                        costs::makers_of<barrier::attendance::whoever_comes>(team), loop.indices);
  request.how = costed.how;
  request.costs = costed.costs;
  const int verdict = run_in_slot(team, request, s);
  costs::give_back(costed.held);
  return verdict;
}

}  // namespace doall::native
