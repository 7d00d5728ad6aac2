// The schedules that leave something for the loop's next run, and affinity's random
// choice of victim: every iteration is dealt once. Three runs, one after the other
// over the same lines and the same memory: one worker constructs the schedule, all
// share it, and one finishes it when all have left. What the workers write for
// finish(), and what that leaves, is plain, so that the model reports any of it that
// fork and join do not order.
#include <optional>
#include <type_traits>

#include "exactly_once.hpp"
#include "schedule/affinity.hpp"
#include "schedule/affinity_last.hpp"
#include "schedule/auto.hpp"
#include "schedule/tapering.hpp"

namespace {

using namespace doall;
using schedules::u64;

using model::exactly_once;
using model::loop;

// A schedule's memory, and what it must be after a run.
template <class Schedule, unsigned Workers>
struct memory_of;

template <unsigned Workers>
struct memory_of<schedules::affinity_last, Workers> {
  schedules::loop_fragments loop;
  schedules::loop_fragments::of_worker worker[Workers];

  void* start() { return &loop; }

  // When there are queues, they are a partition.
  void check(u64 iterations) {
    if (loop.loop.get().workers == 0) return;
    unsigned held[16] = {};
    for (auto& w : worker) {
      for (const schedules::range& s : w.queue.get()) {
        for (u64 i = s.begin; i < s.end; ++i) ++held[i];
      }
    }
    for (u64 i = 0; i < iterations; ++i) RL_ASSERT(held[i] == 1);
  }
};

template <unsigned Workers>
struct memory_of<schedules::tapering, Workers> {
  sync::plain<schedules::chunk_times> sums;
  double runs_measured = 0;

  void* start() { return &sums; }

  // All that ran was measured: 1 + 1/2 + 1/4 ... times the iterations.
  void check(u64 iterations) {
    runs_measured = runs_measured / 2 + 1;
    RL_ASSERT(sums.get().iterations == runs_measured * static_cast<double>(iterations));
    RL_ASSERT(sums.get().time == sums.get().iterations);
  }
};

// What the chunk took: one for each iteration.
double time_of(const schedules::chunk& c) { return static_cast<double>(c.size()); }

template <class Schedule, unsigned Workers, loop Loop>
struct remembering : rl::test_suite<remembering<Schedule, Workers, Loop>, Workers> {
  static constexpr u64 runs_most = 3;
  static constexpr unsigned present = Workers - Loop.absent;

  schedules::worker_line lines[Workers];
  memory_of<Schedule, Workers> memory;
  std::optional<Schedule> schedule;
  sync::plain<int> count[Loop.iterations];
  barrier::full_barrier barrier;

  void thread(unsigned index) {
    if (index >= present) return;
    for (u64 run = 1; run <= runs_most; ++run) {
      if (index == 0) {
        schedule.emplace(schedules::loop_context{
            {Loop.iterations, Workers}, Loop.given, lines, run, {}, memory.start()});
      }
      barrier.arrive(present, 0);
      work(index);
      barrier.arrive(present, 0);
      if (index != 0) continue;
      for (const auto& c : count) RL_ASSERT(c.get() == static_cast<int>(run));
      schedule->finish();
      memory.check(Loop.iterations);
    }
  }

  void work(unsigned index) {
    schedules::feedback last;
    for (u64 turn = 0;; ++turn) {
      const schedules::chunk c = schedule->next({index, turn}, last);
      if (c.empty()) return;
      RL_ASSERT(c.end <= Loop.iterations);
      for (u64 i = c.begin; i < c.end; ++i) count[i].set(count[i].get() + 1);
      last = {c.size(), time_of(c)};
    }
  }
};

using schedules::affinity;
using schedules::affinity_last;
using schedules::tapering;

constexpr auto takes_all = schedules::params::of(affinity::options{.k = 1});
constexpr auto random_victim =
    schedules::params::of(affinity::options{.victim = schedules::at_random});

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<exactly_once<affinity, 3, loop{5, random_victim}>>("affinity_random");
  models.run<exactly_once<affinity, 3, loop{5, random_victim, 1}>>("affinity_random_one_absent");
  // Most queues are absent workers': draws find nothing, and the scan must.
  models.run<exactly_once<affinity, 8, loop{8, random_victim, 6}>>("affinity_random_scan");
  models.run<remembering<affinity_last, 2, loop{5}>>("affinity_last_2");
  models.run<remembering<affinity_last, 3, loop{7}>>("affinity_last_3");
  models.run<remembering<affinity_last, 3, loop{6, takes_all, 1}>>("affinity_last_one_absent");
  models.run<remembering<tapering, 2, loop{7}>>("tapering_2");
  models.run<remembering<tapering, 3, loop{9}>>("tapering_3");
  return models.finish();
}
