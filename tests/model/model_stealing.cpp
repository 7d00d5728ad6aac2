// The stealing engine (src/steal): one worker starts loops, others steal what they can get.
// Every iteration runs once and is visible to the starter when its loop has ended; then nobody
// touches the loop's frame any more, which the next loop overwrites. Who waits for a loop
// runs only what descends from it. Each part that is pushed, and each frame of hybrid's, is
// announced to those who may sleep.
#include "model_run.hpp"
#include "schedule/ebs_simple.hpp"
#include "schedule/lbs.hpp"
#include "schedule/sws.hpp"
#include "steal/roster.hpp"
#include "steal/stint.hpp"

namespace {

using namespace doall;
using steal::u64;

struct nobody_sleeps {
  u64 announced = 0;  // by one worker

  void pushed(steal::worker_thread& me, const steal::frame&, const steal::part&) {
    ++announced;
    RL_ASSERT(announced == me.done.pushes);
  }
  static void completed(steal::worker_thread&) {}
};

struct program {
  u64 outer;
  u64 inner = 0;                 // iterations of the loop in each of them; 0: there is none
  std::uint32_t partitions = 0;  // hybrid's
  int loops = 1;                 // one after the other
};

template <class Rule, unsigned Thieves, unsigned Thefts, program Program>
struct stealing : rl::test_suite<stealing<Rule, Thieves, Thefts, Program>, 1 + Thieves> {
  static constexpr unsigned workers = 1 + Thieves;

  steal::worker_thread worker_[4] = {{0, 0, 1}, {1, 0, 2}, {2, 0, 3}, {3, 0, 4}};
  nobody_sleeps env_[4];
  sync::plain<int> outer_runs[Program.loops][Program.outer];
  sync::plain<int> inner_runs[Program.loops][Program.outer][Program.inner + 1];

  void thread(unsigned index) {
    steal::worker_thread& me = worker_[index];
    if (index == 0) {
      for (int l = 0; l < Program.loops; ++l) run_outer(me, l);
    } else {
      for (unsigned i = 0; i < Thefts; ++i) steal_from(me, nullptr);
    }
  }

  // What an iteration of the loop with that context is.
  struct loop {
    stealing* of;
    int number;
    int in = -1;  // of which iteration of the outer loop; -1: it is the outer one itself
  };

  void run_outer(steal::worker_thread& me, int number) {
    loop outer{this, number};
    run(me, outer, Program.outer, Program.partitions);
    RL_ASSERT(env_[me.number].announced == me.done.pushes);
    for (const auto& count : outer_runs[number]) RL_ASSERT(count.get() == 1);
    for (const auto& of_one : inner_runs[number]) {
      for (u64 j = 0; j < Program.inner; ++j) RL_ASSERT(of_one[j].get() == 1);
    }
  }

  void run(steal::worker_thread& me, loop& what, u64 iterations, std::uint32_t partitions) {
    steal::terms t{.iterations = iterations,
                   .how = &schedules::splitting_operations_of<Rule>,
                   .partitions = partitions,
                   .context = &what};
    t.how->construct(t.rule, {.shape = {iterations, workers}});
    steal::frame& frame = *steal::begin(me, t);
    if (!run_own_part(me, frame)) {
      while (!steal::is_complete(frame)) {
        if (!steal_from(me, &frame)) sync::relax();
      }
    }
    me.frames.give(&frame);
  }

  bool run_own_part(steal::worker_thread& me, steal::frame& frame) {
    steal::stint stay(me, frame, env_[me.number]);
    work(me, frame, stay);
    return stay.report_as_starter();
  }

  void work(steal::worker_thread& me, steal::frame& frame, steal::stint& stay) {
    auto* const before = me.current();
    me.set_current(&frame);
    auto& what = *static_cast<loop*>(frame.fixed.get().context);
    nobody_sleeps& env = env_[me.number];
    for (steal::piece p = stay.next(env); !p.empty(); p = stay.next(env)) {
      for (u64 i = p.begin; i < p.end; ++i) iterate(me, what, i);
    }
    me.set_current(before);
  }

  void iterate(steal::worker_thread& me, loop& what, u64 i) {
    auto& count = what.in < 0 ? outer_runs[what.number][i] : inner_runs[what.number][what.in][i];
    count.set(count.get() + 1);
    if (what.in >= 0 || Program.inner == 0) return;
    loop inner{this, what.number, static_cast<int>(i)};
    run(me, inner, Program.inner, 0);
  }

  bool steal_from(steal::worker_thread& me, const steal::frame* within) {
    for (unsigned v = 0; v < workers; ++v) {
      steal::descriptor taken;
      if (!steal::roster::steal_from(me, &worker_[v], within, taken)) continue;
      if (within != nullptr) RL_ASSERT(taken.loop->descends_from(*within));
      nobody_sleeps& env = env_[me.number];
      steal::stint stay(me, taken, env);
      work(me, *taken.loop, stay);
      stay.report_to_starter(env);
      RL_ASSERT(env.announced == me.done.pushes);
      return true;
    }
    return false;
  }
};

}  // namespace

int main(int argc, char** argv) {
  using namespace doall::schedules;
  doall::model::runner models(argc, argv);
  models.run<stealing<lbs, 1, 2, program{.outer = 4}>>("lazy");
  models.run<stealing<lbs, 2, 2, program{.outer = 4}>>("lazy_two_thieves");
  models.run<stealing<ebs_simple, 2, 2, program{.outer = 5}>>("eager");
  models.run<stealing<sws, 2, 2, program{.outer = 3}>>("serializing");
  models.run<stealing<lbs, 2, 2, program{.outer = 2, .loops = 2}>>("two_loops");
  models.run<stealing<lbs, 1, 3, program{.outer = 2, .inner = 2}>>("nested");
  models.run<stealing<ebs_simple, 2, 2, program{.outer = 3, .inner = 2}>>("nested_eager");
  // Once somebody has stolen half of it, what is left in hand of the outer loop is offered from
  // within the inner ones.
  models.run<stealing<lbs, 1, 3, program{.outer = 6, .inner = 2}>>("outermost_first");
  models.run<stealing<lbs, 2, 2, program{.outer = 6, .inner = 2}>>("outermost_first_two_thieves");
  models.run<stealing<lbs, 2, 2, program{.outer = 2, .inner = 2, .loops = 2}>>("nested_twice");
  models.run<stealing<ebs_simple, 1, 3, program{.outer = 2, .partitions = 2}>>("hybrid");
  models.run<stealing<ebs_simple, 2, 3, program{.outer = 4, .partitions = 4}>>("hybrid_of_four");
  models.run<stealing<ebs_simple, 2, 2, program{.outer = 2, .partitions = 4, .loops = 2}>>(
      "hybrid_of_empty_partitions");
  return models.finish();
}
