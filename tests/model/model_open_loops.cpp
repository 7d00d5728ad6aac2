// Offers against stays (src/steal/stay.hpp, open_group.hpp, stint.hpp): nested loops that run where
// they are met, without a frame, until their thread looks and shares the outermost; groups that
// give tasks and wait. Thieves take what is offered, and run open loops and groups of their own in
// it. Every iteration and every task is run once, and is visible to who began it when that has
// ended; then nobody touches the frame any more, which the next one overwrites.
//
// What the program's own code does (doall/detail/open_loops.hpp, open_groups.hpp) is here as it is
// there, with a look after each iteration, and so is the end of a group (native/task_group.cpp).
#include "model_run.hpp"
#include "steal/roster.hpp"
#include "steal/stint.hpp"

namespace {

using namespace doall;
using steal::u64;

struct nobody_sleeps {
  static void pushed(steal::worker_thread&, const steal::frame&, const steal::part&) {}
  static void completed(steal::worker_thread&) {}
};

// A loop at each level, in each iteration of the one outside of it; in each of the innermost's, if
// there are tasks, a group.
struct program {
  int levels = 1;
  u64 width = 2;
  int tasks = 0;             // of a group
  int given = 0;             // by each of those, to the group
  int rounds = 1;            // one after the other
  bool looks_first = false;  // before the first iteration
};

template <unsigned Thieves, unsigned Thefts, program Program>
struct open_loops : rl::test_suite<open_loops<Thieves, Thefts, Program>, 1 + Thieves> {
  static constexpr unsigned workers = 1 + Thieves;
  static constexpr int tasks_most = 8;

  steal::worker_thread worker_[3] = {{0, 0, 1}, {1, 0, 2}, {2, 0, 3}};
  doall_site site_{detail::site_word().with_nests().raw()};
  doall_open_kind kind_{run_part, &site_};

  steal::worker_thread& me() { return worker_[rl::thread_index()]; }

  void thread(unsigned index) {
    if (index == 0) {
      for (int r = 0; r < Program.rounds; ++r) iterate(Program.levels);
      RL_ASSERT(me().here.innermost == &me().here.outermost);
      RL_ASSERT(me().here.outermost_open == &me().here.outermost);
    } else {
      for (unsigned i = 0; i < Thefts; ++i) steal_from(me(), nullptr);
    }
  }

  // An iteration around so many levels.
  void iterate(int levels) {
    if (levels != 0)
      loop(*this, levels - 1).run();
    else if (Program.tasks != 0)
      group(*this).run();
  }

  void look(steal::worker_thread& by) {
    nobody_sleeps env;
    if (by.own().is_empty()) steal::stint::offer_outermost(by, nullptr, env);
  }

  struct loop : doall_open_loop {
    open_loops& of;
    const int levels;  // inside
    sync::plain<int> runs[Program.width];

    loop(open_loops& all, int inside_of_it) : of(all), levels(inside_of_it) {
      steal::worker_thread& me = of.me();
      static_cast<doall_open_loop&>(*this) = {
          me.here.innermost, nullptr, 0, Program.width, Program.width, me.here.loop, &of.kind_};
      around->inside = this;
      me.here.innermost = this;
    }

    void run() {
      steal::worker_thread& me = of.me();
      u64 begin = next++;
      if (Program.looks_first) of.look(me);
      for (;;) {
        iterate(begin);
        of.look(me);
        if (next >= limit) break;
        begin = next++;
      }
      if (limit == 0) of.finish(me, *this);
      steal::unlink(me, *this);
      for (const auto& count : runs) RL_ASSERT(count.get() == 1);
    }

    void iterate(u64 i) {
      runs[i].set(runs[i].get() + 1);
      of.iterate(levels);
    }
  };

  static int run_part(void* context, u64 begin, u64 end, u64, std::uint32_t) {
    auto& of = *static_cast<loop*>(static_cast<doall_open_loop*>(context));
    for (u64 i = begin; i < end; ++i) of.iterate(i);
    return 0;
  }

  struct group;
  struct task : doall_task {
    group* of = nullptr;
    int gives = 0;
    sync::plain<int> runs;
  };

  struct group : doall_group {
    open_loops& of;
    task all[tasks_most];

    explicit group(open_loops& world) : of(world) {
      steal::worker_thread& me = of.me();
      static_cast<doall_group&>(*this) = {
          {me.here.innermost, nullptr, 0, 0, 0, me.here.loop, me.here.kind_of_groups},
          &me.here,
          nullptr,
          nullptr,
          0,
          0};
      me.here.innermost->inside = &open;
      me.here.innermost = &open;
    }

    void run() {
      steal::worker_thread& me = of.me();
      for (int t = 0; t < Program.tasks; ++t) {
        task& one = all[t * (1 + Program.given)];
        one.gives = Program.given;
        give(one);
      }
      wait(me);
      steal::unlink_group(me, *this);
      for (int t = 0; t < Program.tasks * (1 + Program.given); ++t) {
        RL_ASSERT(all[t].runs.get() == 1);
      }
    }

    static void run_task(doall_task* self) {
      auto& mine = *static_cast<task*>(self);
      mine.runs.set(mine.runs.get() + 1);
      for (int i = 1; i <= mine.gives; ++i) mine.of->give((&mine)[i]);
    }

    void give(task& one) {
      steal::worker_thread& me = of.me();
      one.of = this;
      one.run = run_task;
      if (&me.here == here && waiting == 0) {
        detail::add_task(*this, &one);
        return of.look(me);
      }
      steal::frame& own = steal::frame_of(open);
      own.left.fetch_add(1, sync::relaxed);
      if (me.own().push({&own, steal::part_of(&one)})) return;
      own.left.fetch_sub(1, sync::relaxed);
      run_task(&one);
    }

    void run_here(doall_task* t) {
      void* const before = here->loop;
      here->loop = open.loop;
      t->run(t);
      here->loop = before;
    }

    void wait(steal::worker_thread& me) {
      while (open.end != 0 || offered != 0) {
        while (open.end != 0) {
          run_here(detail::take_newest_task(*this));
          of.look(me);
        }
        run_offered(me);
        if (open.end != 0) continue;
        const u64 stolen = std::exchange(offered, 0);
        if (stolen == 0) break;
        steal::frame& own = steal::frame_of(open);
        waiting = 1;
        if (own.left.fetch_add(stolen - steal::held, sync::acq_rel) != steal::held - stolen) {
          of.wait_for(me, own);
        }
        waiting = 0;
        own.left.store(steal::held, sync::relaxed);
      }
      if (!steal::has_frame(*this)) return;
      steal::frame& own = steal::frame_of(open);
      open.loop = own.parent.load(sync::relaxed);
      me.frames.give(&own);
    }

    void run_offered(steal::worker_thread& me) {
      steal::descriptor mine;
      while (offered != 0 && !me.own().is_empty() && me.own().last().loop == open.loop &&
             me.own().pop(mine)) {
        offered -= 1;
        run_here(steal::task_of(mine.what));
      }
    }
  };

  // As in threads/stealing.cpp.
  void finish(steal::worker_thread& me, loop& open) {
    steal::frame& shared = steal::frame_of(open);
    if (!run_rest(me, open, shared)) wait_for(me, shared);
    me.frames.give(&shared);
  }

  bool run_rest(steal::worker_thread& me, steal::stay& open, steal::frame& shared) {
    steal::stint stay(me, open);
    work(me, shared, stay);
    return stay.report_as_starter();
  }

  void wait_for(steal::worker_thread& me, steal::frame& shared) {
    while (!steal::is_complete(shared)) {
      if (!steal_from(me, &shared)) sync::relax();
    }
  }

  void work(steal::worker_thread& me, steal::frame& shared, steal::stint& stay) {
    auto* const before = me.current();
    me.set_current(&shared);
    const steal::terms& t = shared.fixed.get();
    nobody_sleeps env;
    for (steal::piece p = stay.next(env); !p.empty(); p = stay.next(env)) {
      t.body(t.context, p.begin, p.end, 1, me.number);
    }
    me.set_current(before);
  }

  bool steal_from(steal::worker_thread& me, const steal::frame* within) {
    for (unsigned v = 0; v < workers; ++v) {
      steal::descriptor taken;
      if (!steal::roster::steal_from(me, &worker_[v], within, taken)) continue;
      if (within != nullptr) RL_ASSERT(taken.loop->descends_from(*within));
      nobody_sleeps env;
      steal::stint stay(me, taken, env);
      work(me, *taken.loop, stay);
      stay.report_to_starter(env);
      return true;
    }
    return false;
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<open_loops<1, 2, program{.width = 4}>>("one_loop");
  models.run<open_loops<2, 2, program{.width = 4}>>("one_loop_two_thieves");
  models.run<open_loops<1, 3, program{.width = 3, .rounds = 2}>>("two_loops");
  // All but the first iteration may be given away before that begins.
  models.run<open_loops<1, 3, program{.width = 2, .rounds = 2, .looks_first = true}>>("early");
  models.run<open_loops<2, 3, program{.levels = 2, .width = 3, .looks_first = true}>>(
      "early_two_thieves");
  models.run<open_loops<1, 3, program{.levels = 2}>>("nested");
  models.run<open_loops<2, 2, program{.levels = 2, .width = 3}>>("nested_two_thieves");
  // The outer loop is offered again while the inner one ends.
  models.run<open_loops<1, 8, program{.levels = 2, .width = 4}>>("nested_often_stolen_from");
  models.run<open_loops<1, 3, program{.levels = 3}>>("three_levels");
  models.run<open_loops<2, 2, program{.levels = 2, .rounds = 2}>>("nested_twice");
  models.run<open_loops<1, 3, program{.levels = 0, .tasks = 3}>>("group");
  models.run<open_loops<2, 2, program{.levels = 0, .tasks = 2, .given = 1}>>("tasks_from_tasks");
  models.run<open_loops<1, 3, program{.levels = 0, .tasks = 1, .given = 2, .rounds = 2}>>(
      "tasks_from_one_task");
  models.run<open_loops<1, 3, program{.levels = 1, .tasks = 2}>>("groups_in_a_loop");
  models.run<open_loops<2, 2, program{.levels = 1, .tasks = 2, .given = 1}>>(
      "groups_in_a_loop_two_thieves");
  return models.finish();
}
