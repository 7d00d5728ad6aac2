// Sleepers and those who hand over tasks (src/tasks/sleepers.hpp): every task finds a thread,
// though one call may stand for several tasks. The tasks wait for each other, so that each needs a
// thread of its own, and the thread that hands them over takes none. And: a thread number that is
// another thread's in the next region, while its last one still lies there.
#include "model_run.hpp"
#include "tasks/open_region.hpp"
#include "tasks/sleepers.hpp"

namespace {

using namespace doall;

constexpr auto always = [] { return true; };

// Tasks that any thread may take: a deque would order the same by its own operations.
struct pile {
  sync::atomic<int> queued{0};

  bool any() const { return queued.load(sync::relaxed) > 0; }
  void push() { queued.fetch_add(1, sync::release); }
  bool take() {
    int seen = queued.load(sync::relaxed);
    while (seen > 0) {
      if (queued.compare_exchange_weak(seen, seen - 1, sync::acquire, sync::relaxed)) return true;
    }
    return false;
  }
};

// Threads 0 to Takers - 1 sleep until there is a task for them. Thread Takers hands over as many.
template <unsigned Takers>
struct tasks_that_meet : rl::test_suite<tasks_that_meet<Takers>, Takers + 1> {
  tasks::sleepers all;
  tasks::sleeper of[Takers];
  park::gate beds[Takers];
  pile waiting;
  sync::atomic<int> running{0};
  park::gate meeting;
  sync::plain<int> ran[Takers];

  struct bed {
    tasks_that_meet& in;
    unsigned index;
    park::gate& at() const { return in.beds[index]; }
    void lie_down() const { in.all.lie_down(in.of[index], nullptr, at(), always); }
    bool is_called() const {
      return tasks::sleepers::was_called(in.of[index], at()) || in.waiting.any();
    }
    void get_up() const {
      if (in.all.get_up(in.of[index], at()) && in.waiting.any()) in.call();
    }
  };

  void before() {
    for (auto& r : ran) r.set(0);
  }

  void call() {
    all.call(Takers, [&](unsigned i) { return &of[i]; }, [](const tasks::task*) { return true; });
  }

  void thread(unsigned index) {
    if (index == Takers) {
      for (unsigned t = 0; t < Takers; ++t) {
        waiting.push();
        if (all.any()) call();
      }
      return;
    }
    while (!waiting.take()) {
      beds[index].wait([&] { return waiting.any(); }, 0, bed{*this, index});
    }
    ran[index].set(ran[index].get() + 1);
    running.fetch_add(1, sync::acq_rel);
    meeting.open();
    meeting.wait([&] { return running.load(sync::acquire) == static_cast<int>(Takers); }, 0);
    for (auto& r : ran) RL_ASSERT(r.get() == 1);
  }
};

enum class moved { early, late, late_to_bed, before_second_is_in_bed };
enum class taker { second, third };

// One thread number of a team in two regions. Thread 1 has run its part of the first one and goes
// to sleep as a helper, at any time, until it gets an offer of another team: before thread 0 hands
// over a task of the second region, or after that was taken. Thread 2 has the number in the second
// region, and waits within a task there. Only `Taker` may take the task that is handed over. So
// that it happens often: thread 1 goes to bed late, when the second region has begun; or the others
// have before thread 2 does, and thread 1 is slow to get up.
template <moved When, taker Taker>
struct number_moves : rl::test_suite<number_moves<When, Taker>, Taker == taker::third ? 4 : 3> {
  static constexpr unsigned numbers = Taker == taker::third ? 2 : 1;

  // A thread that may sleep, in the region of that round.
  struct thread_of {
    number_moves& in;
    unsigned number;
    unsigned index;
    std::uint32_t round;
    const tasks::task* within;
    mutable bool lies = false;

    park::gate& at() const { return in.gates[index]; }
    void lie_down() const {
      lies =
          in.all.lie_down(in.of[number], within, at(), [&] { return in.region.round() == round; });
      in.in_bed.fetch_add(1, sync::relaxed);
    }
    bool is_called() const {
      return lies && (tasks::sleepers::was_called(in.of[number], at()) || in.has_task_for(index));
    }
    void get_up() const {
      for (int i = 0; When == moved::before_second_is_in_bed && index == 1 && i < 4; ++i) {
        sync::yield();
      }
      if (lies && in.all.get_up(in.of[number], at()) && in.waiting.any()) in.call();
    }
  };

  tasks::open_region region;
  tasks::sleepers all;
  tasks::sleeper of[numbers];
  park::gate gates[4];
  pile waiting;
  sync::atomic<bool> offered[4];
  // These pass on nothing else.
  sync::atomic<bool> go_to_bed{false};
  sync::atomic<int> in_bed{0};
  sync::atomic<bool> is_done{false};
  std::uint32_t first_round = 0;
  tasks::task* const withins[2] = {reinterpret_cast<tasks::task*>(&of),
                                   reinterpret_cast<tasks::task*>(&all)};
  sync::plain<int> depths[2];  // of these

  void before() {
    first_round = region.begin();
    for (auto& o : offered) o.store(false, sync::relaxed);
  }

  bool has_task_for(unsigned index) const {
    return index == (Taker == taker::third ? 3 : 2) && waiting.any();
  }
  void call() {
    const auto may_take = [&](const tasks::task* from) {
      const int which = from == withins[0] ? 0 : 1;
      RL_ASSERT(from == withins[which]);
      return depths[which].get() != 0 && which == (Taker == taker::third ? 1 : 0);
    };
    all.call(numbers, [&](unsigned i) { return &of[i]; }, may_take);
  }

  void offer(unsigned index) {
    offered[index].store(true, sync::release);
    gates[index].open();
  }
  void await_bedtime() const {
    while (!go_to_bed.load(sync::relaxed)) sync::yield();
  }
  bool is_offered(unsigned index) { return offered[index].load(sync::acquire); }

  void thread(unsigned index) {
    if (index == 0) {
      lead_second_region();
    } else if (index == 1) {
      if (When == moved::late_to_bed) await_bedtime();
      while (!is_offered(1)) {
        gates[1].wait([&] { return is_offered(1); }, 0,
                      thread_of{*this, 0, 1, first_round, nullptr});
      }
    } else {
      work_in_second_region(index);
    }
  }

  void lead_second_region() {
    region.close(0);
    if (When == moved::early) offer(1);
    region.begin();
    for (unsigned i = 2; i < 2 + numbers; ++i) offer(i);
    while (When == moved::before_second_is_in_bed && in_bed.load(sync::relaxed) < 2) sync::yield();
    go_to_bed.store(true, sync::relaxed);
    waiting.push();
    if (all.any()) call();
    gates[0].wait([&] { return is_done.load(sync::acquire); }, 0);
    if (When != moved::early) offer(1);
  }

  void work_in_second_region(unsigned index) {
    gates[index].wait([&] { return is_offered(index); }, 0);
    depths[index - 2].set(1);
    if (When == moved::before_second_is_in_bed && index == 2) await_bedtime();
    const auto done = [&] { return is_done.load(sync::acquire); };
    while (!done()) {
      if (has_task_for(index) && waiting.take()) {
        is_done.store(true, sync::release);
        for (auto& g : gates) g.open();
        return;
      }
      gates[index].wait([&] { return done() || has_task_for(index); }, 0,
                        thread_of{*this, index - 2, index, region.round(), withins[index - 2]});
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<tasks_that_meet<1>>("one_sleeper");
  models.run<tasks_that_meet<2>>("two_sleepers");
  models.run<tasks_that_meet<3>>("three_sleepers");
  models.run<number_moves<moved::early, taker::second>>("moved_early");
  models.run<number_moves<moved::late, taker::second>>("moved_late");
  models.run<number_moves<moved::late_to_bed, taker::second>>("moved_late_to_bed");
  models.run<number_moves<moved::early, taker::third>>("moved_early_for_third");
  models.run<number_moves<moved::late, taker::third>>("moved_late_for_third");
  models.run<number_moves<moved::late_to_bed, taker::third>>("moved_late_to_bed_for_third");
  models.run<number_moves<moved::before_second_is_in_bed, taker::third>>("moved_mark_was_called");
  return models.finish();
}
