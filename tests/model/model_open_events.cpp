// Events and the threads that wait (src/tasks/open_events.hpp with sleepers.hpp, task_barrier.hpp,
// the deque and the gate): a task that brings an event is executed, though it lies in the deque of
// a thread that sleeps, which may not begin it, behind an older one that the waiting thread may not
// begin either.
#include "deque/chase_lev.hpp"
#include "model_run.hpp"
#include "tasks/open_events.hpp"
#include "tasks/sleepers.hpp"
#include "tasks/task_barrier.hpp"

namespace {

using namespace doall;

// Thread 0 waits within a task V until all is done. Below V's floor, in its deque, lie the tasks
// `older` and `wanted`, of which it may begin neither. Thread 1 makes a detached task and waits for
// its event, which `wanted` brings; it may begin that, but not `older`. With two makers thread 2
// makes a detached task, too, which is finished at once: so the count is no flag.
enum item : std::uintptr_t { older = 1, wanted = 2 };

template <unsigned Makers>
struct events : rl::test_suite<events<Makers>, Makers + 1> {
  static constexpr unsigned threads = Makers + 1;
  using deque_of_tasks = deque::chase_lev<std::uintptr_t, 2>;

  tasks::open_region region;
  tasks::sleepers sleepers;
  tasks::sleeper sleeping[threads];
  park::gate beds[threads];
  deque_of_tasks deque;  // of thread 0
  tasks::open_events open;
  sync::atomic<bool> queued[3];
  sync::atomic<bool> fulfilled{false};
  sync::atomic<bool> is_done{false};
  sync::plain<int> ran[3];
  tasks::task* const withins[2] = {reinterpret_cast<tasks::task*>(&sleepers),
                                   reinterpret_cast<tasks::task*>(&region)};

  void before() {
    region.begin();
    for (auto& q : queued) q.store(false, sync::relaxed);
    for (auto& r : ran) r.set(0);
    typename deque_of_tasks::owner mine(deque);
    RL_ASSERT(mine.push(older) && mine.push(wanted));
    region.note();
  }

  static bool may_begin(unsigned index, std::uintptr_t which) {
    return index == 1 && which == wanted;
  }
  // The same for a thread that says that it waits within that.
  bool may_begin_within(const tasks::task* within, std::uintptr_t which) const {
    return within == withins[1] && which == wanted;
  }

  bool keeps_back(unsigned index) {
    return index == 0 && open.any() && !typename deque_of_tasks::owner(deque).is_empty();
  }
  void enqueue(std::uintptr_t which) {
    queued[which].store(true, sync::release);
    tasks::task_barrier::tell(
        region, sleepers, [] {},
        [&] { call([&](const tasks::task* within) { return may_begin_within(within, which); }); });
  }
  template <class MayTake>
  void call(MayTake may_take) {
    sleepers.call(threads, [&](unsigned i) { return &sleeping[i]; }, may_take);
  }
  void call_for_any() {
    for (const std::uintptr_t which : {older, wanted}) {
      if (!queued[which].load(sync::relaxed)) continue;
      call([&](const tasks::task* within) { return may_begin_within(within, which); });
    }
  }

  // As task_team: from the queue, from the others' deques, and then it shares its own.
  std::uintptr_t take(unsigned index) {
    for (const std::uintptr_t which : {older, wanted}) {
      if (may_begin(index, which) && queued[which].load(sync::relaxed) &&
          queued[which].exchange(false, sync::acq_rel)) {
        return which;
      }
    }
    if (index != 0) {
      std::uintptr_t item = 0;
      const auto wants = [&](std::uintptr_t seen) { return may_begin(index, seen); };
      if (typename deque_of_tasks::thief(deque).steal(item, wants) == deque::theft::done)
        return item;
    } else if (keeps_back(0)) {
      tasks::open_events::queue_all(typename deque_of_tasks::owner(deque),
                                    typename deque_of_tasks::thief(deque),
                                    [&](std::uintptr_t item) { enqueue(item); });
    }
    return 0;
  }
  bool may_take(unsigned index) {
    for (const std::uintptr_t which : {older, wanted}) {
      if (may_begin(index, which) && queued[which].load(sync::relaxed)) return true;
    }
    return keeps_back(index);
  }

  struct bed {
    events& in;
    unsigned index;
    park::gate& at;
    void lie_down() const {
      in.sleepers.lie_down(in.sleeping[index], in.withins[index], at, [] { return true; });
    }
    bool is_called() const {
      return tasks::sleepers::was_called(in.sleeping[index], at) || in.may_take(index);
    }
    void get_up() const {
      if (in.sleepers.get_up(in.sleeping[index], at)) in.call_for_any();
    }
  };
  struct waiting {
    events& in;
    unsigned index;
    std::uintptr_t* take() const {
      const std::uintptr_t which = in.take(index);
      return which != 0 ? reinterpret_cast<std::uintptr_t*>(which) : nullptr;
    }
    bool may_take() const { return in.may_take(index); }
    void execute(std::uintptr_t* t) const { in.execute(reinterpret_cast<std::uintptr_t>(t)); }
    bool is_alone() const { return false; }
    events::bed bed_at(park::gate& at) const { return {in, index, at}; }
    park::spin_bound spin() const { return 0; }
  };

  void execute(std::uintptr_t which) {
    ran[which].set(ran[which].get() + 1);
    if (which != wanted) return;
    open.drop();
    fulfilled.store(true, sync::release);
    beds[1].open();
  }

  template <class Ready>
  void wait(unsigned index, Ready ready) {
    tasks::task_barrier::execute_until(waiting{*this, index}, beds[index], ready);
  }

  void thread(unsigned index) {
    const auto done = [&] { return is_done.load(sync::acquire); };
    if (index == 0) return wait(0, done);
    open.add([&] {
      for (auto& b : beds) b.open();
    });
    if (index == 2) {
      open.drop();
      return;
    }
    wait(1, [&] { return fulfilled.load(sync::acquire); });
    RL_ASSERT(ran[wanted].get() == 1);
    is_done.store(true, sync::release);
    for (auto& b : beds) b.open();
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<events<1>>("one_event");
  models.run<events<2>>("two_events");
  return models.finish();
}
