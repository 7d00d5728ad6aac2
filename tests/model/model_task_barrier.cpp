// A team's barrier with tasks (src/tasks/task_barrier.hpp with the barriers, child_counts.hpp,
// sleepers.hpp, open_region.hpp and the deque): when a thread leaves, each task has been executed
// once, and what it did is visible; threads that wait there execute the others' tasks; nobody
// sleeps on, also if the region is given up, whichever of the gates it sleeps at.
#include "barrier/tree_barrier.hpp"
#include "deque/chase_lev.hpp"
#include "model_run.hpp"
#include "tasks/child_counts.hpp"
#include "tasks/task_barrier.hpp"

namespace {

using namespace doall;

// What a thread's implicit task makes, and what comes of it.
enum class makes {
  one,        // a task, by thread 0
  one_each,   // by each thread
  nest,       // thread 0 a task that makes another one and does not wait for it
  two_meet,   // thread 0 two that wait for each other, of which it executes none itself
  in_second,  // thread 0 a task between the first barrier and the second
};
enum class meets { centrally, along_a_tree };

template <unsigned Threads, makes What, meets How = meets::centrally, bool GivesUp = false>
struct team : rl::test_suite<team<Threads, What, How, GivesUp>, Threads> {
  static constexpr unsigned made = What == makes::one_each                          ? Threads
                                   : What == makes::nest || What == makes::two_meet ? 2
                                                                                    : 1;
  using deque_of_tasks = deque::chase_lev<std::uintptr_t, 2>;

  // As `task` and `member` of src/omp: a node is an implicit task's or a task's.
  struct node {
    tasks::child_counts children;
    sync::plain<node*> parent;
    sync::plain<unsigned> runner;
    sync::plain<int> ran;
  };
  struct member {
    deque_of_tasks deque;
    park::gate bed;
    tasks::sleeper sleeping;
  };

  tasks::open_region region;
  tasks::sleepers sleepers;
  barrier::full_barrier full;
  barrier::tree_barrier tree;
  node roots[Threads];
  node all[made];
  member members[Threads];
  sync::atomic<bool> given_up{false};
  sync::plain<int> phases[Threads];
  sync::atomic<int> met{0};
  park::gate meeting;

  void before() {
    region.begin();
    tree.make_room(Threads);
    for (unsigned i = 0; i < Threads; ++i) {
      roots[i].children.reset();
      roots[i].runner.set(i);
      phases[i].set(0);
    }
    for (node& n : all) n.ran.set(0);
  }

  node* as_task(std::uintptr_t item) { return reinterpret_cast<node*>(item); }

  struct bed {
    team& in;
    unsigned index;
    park::gate& at;
    tasks::sleeper& sleeping() const { return in.members[index].sleeping; }
    void lie_down() const {
      in.sleepers.lie_down(sleeping(), nullptr, at, [] { return true; });
    }
    bool is_called() const {
      return tasks::sleepers::was_called(sleeping(), at) || in.may_take(index);
    }
    void get_up() const {
      if (in.sleepers.get_up(sleeping(), at)) in.call_for_any();
    }
  };

  struct waiting {
    team& in;
    unsigned index;
    node* take() const { return in.take(index); }
    bool may_take() const { return in.may_take(index); }
    void execute(node* t) const { in.execute(index, t); }
    bool has_tasks() const { return in.region.has_tasks(); }
    bool is_over() const { return in.given_up.load(sync::seq_cst); }
    bool is_alone() const { return false; }
    park::gate& bed() const { return in.members[index].bed; }
    team::bed bed_at(park::gate& at) const { return {in, index, at}; }
    park::spin_bound spin() const { return 0; }
    void wake_members() const { in.wake_members(); }
  };

  // task_team::push(), after the child's count: submit_task().
  void make(unsigned index, node& parent, node& t) {
    t.children.reset();
    t.parent.set(&parent);
    parent.children.add();
    member& me = members[index];
    RL_ASSERT(typename deque_of_tasks::owner(me.deque).push(reinterpret_cast<std::uintptr_t>(&t)));
    tasks::task_barrier::tell(region, sleepers, [&] { wake_barrier(); }, [&] { call(&me); });
  }
  node* take(unsigned index) {
    std::uintptr_t item = 0;
    if (typename deque_of_tasks::owner(members[index].deque).pop(item)) return as_task(item);
    for (unsigned i = 0; i < Threads; ++i) {
      if (i == index) continue;
      const auto any = [](std::uintptr_t) { return true; };
      if (typename deque_of_tasks::thief(members[i].deque).steal(item, any) == deque::theft::done) {
        return as_task(item);
      }
    }
    return nullptr;
  }
  bool looks_empty(unsigned i) {
    return typename deque_of_tasks::thief(members[i].deque).looks_empty();
  }
  bool may_take(unsigned) {
    for (unsigned i = 0; i < Threads; ++i) {
      if (!looks_empty(i)) return true;
    }
    return false;
  }
  void call(const member* me) {
    const auto sleeper_at = [&](unsigned i) -> tasks::sleeper* {
      return &members[i] == me ? nullptr : &members[i].sleeping;
    };
    sleepers.call(Threads, sleeper_at, [](const tasks::task*) { return true; });
  }
  void call_for_any() {
    if (may_take(0)) call(nullptr);
  }
  void wake_barrier() {
    full.wake();
    if (How == meets::along_a_tree) tree.wake();
  }
  void wake_members() {
    for (member& m : members) m.bed.open();
  }

  // run(), end() and report_end() of tasks.cpp.
  void execute(unsigned index, node* t) {
    t->runner.set(index);
    t->ran.set(t->ran.get() + 1);
    if (What == makes::nest && t == &all[0]) make(index, *t, all[1]);
    if (What == makes::two_meet) meet();
    tasks::child_counts::count what = tasks::child_counts::both;
    if (!t->children.all_complete()) {
      report_end(index, t->parent.get(), tasks::child_counts::finished);
      node* const parent = t->parent.get();
      if (!t->children.leave()) return;
      report_end(index, parent, tasks::child_counts::complete);
      return;
    }
    report_end(index, t->parent.get(), what);
  }
  void report_end(unsigned index, node* parent, tasks::child_counts::count what) {
    for (;;) {
      const unsigned runner = parent->runner.get();
      if (runner == index && parent->children.report_here(what)) return;
      if (!parent->children.report_away(what)) {
        members[runner].bed.open();
        return;
      }
      what = tasks::child_counts::complete;
      parent = parent->parent.get();
    }
  }
  void meet() {
    met.fetch_add(1, sync::acq_rel);
    meeting.open();
    meeting.wait([&] { return met.load(sync::acquire) == 2; }, 0);
  }

  // team_barrier(), and complete_tasks() before it.
  void arrive(unsigned index) {
    const waiting me{*this, index};
    const tasks::child_counts& children = roots[index].children;
    if (!children.all_complete()) {
      tasks::task_barrier::execute_until(me, members[index].bed,
                                         [&] { return children.all_complete(); });
    }
    if (How == meets::along_a_tree) {
      const auto waits = [&](park::gate& at, auto ready) {
        return tasks::task_barrier::wait(me, at, false, ready);
      };
      tree.arrive(barrier::tree::over({}), {0, Threads}, index, waits, [] {});
    } else {
      tasks::task_barrier::arrive(full, Threads, me, [] {});
    }
  }

  void make_tasks(unsigned index) {
    if (What == makes::one_each) {
      make(index, roots[index], all[index]);
    } else if (index == 0) {
      make(0, roots[0], all[0]);
      if (What != makes::two_meet) return;
      // Others may be asleep again, for there is no task for them.
      meeting.wait([&] { return met.load(sync::acquire) >= 1; }, 0);
      make(0, roots[0], all[1]);
      meeting.wait([&] { return met.load(sync::acquire) == 2; }, 0);
    }
  }

  void thread(unsigned index) {
    if (GivesUp && index == Threads - 1) {
      given_up.store(true, sync::seq_cst);
      wake_barrier();
      wake_members();
      return;
    }
    if (What == makes::in_second) arrive(index);
    make_tasks(index);
    phases[index].set(1);
    arrive(index);
    if (GivesUp) return;
    for (const node& n : all) RL_ASSERT(n.ran.get() == 1);
    for (auto& p : phases) RL_ASSERT(p.get() == 1);
    // Without tasks, in a region that has had some.
    arrive(index);
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<team<2, makes::one>>("one_task");
  models.run<team<3, makes::one>>("three_threads");
  models.run<team<3, makes::two_meet>>("two_tasks_meet");
  models.run<team<2, makes::one_each>>("one_task_each");
  models.run<team<2, makes::nest>>("nest");
  models.run<team<2, makes::in_second>>("in_second_barrier");
  models.run<team<3, makes::one, meets::along_a_tree>>("along_a_tree");
  models.run<team<3, makes::two_meet, meets::along_a_tree>>("two_tasks_meet_along_a_tree");
  models.run<team<2, makes::one, meets::centrally, true>>("given_up");
  models.run<team<3, makes::one, meets::along_a_tree, true>>("given_up_along_a_tree");
  return models.finish();
}
