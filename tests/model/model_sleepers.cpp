// Sleepers and those who hand over tasks (src/omp/sleepers.hpp): every task finds a thread, though
// one call may stand for several tasks. The tasks wait for each other, so that each needs a thread
// of its own, and the thread that hands them over takes none.
#include "model_run.hpp"
#include "omp/sleepers.hpp"

namespace {

using namespace doall;

// Threads 0 to Takers - 1 sleep until there is a task for them. Thread Takers hands over as many.
template <unsigned Takers>
struct tasks_that_meet : rl::test_suite<tasks_that_meet<Takers>, Takers + 1> {
  omp::sleepers all;
  omp::sleeper of[Takers];
  park::gate beds[Takers];
  sync::atomic<int> queued{0};  // tasks: a deque would order the same by its own operations
  sync::atomic<int> running{0};
  park::gate meeting;
  sync::plain<int> ran[Takers];

  struct bed {
    tasks_that_meet& in;
    unsigned index;
    void lie_down() const { in.all.lie_down(in.of[index], nullptr, in.beds[index]); }
    bool is_called() const { return omp::sleepers::was_called(in.of[index]) || in.any_task(); }
    void get_up() const {
      if (in.all.get_up(in.of[index]) && in.any_task()) in.call();
    }
  };

  void before() {
    for (auto& r : ran) r.set(0);
  }

  bool any_task() const { return queued.load(sync::relaxed) > 0; }
  bool take() {
    int seen = queued.load(sync::relaxed);
    while (seen > 0) {
      if (queued.compare_exchange_weak(seen, seen - 1, sync::acquire, sync::relaxed)) return true;
    }
    return false;
  }
  void call() {
    all.call(Takers, [&](unsigned i) { return &of[i]; }, [](const omp::task*) { return true; });
  }

  void thread(unsigned index) {
    if (index == Takers) {
      for (unsigned t = 0; t < Takers; ++t) {
        queued.fetch_add(1, sync::release);
        if (all.any()) call();
      }
      return;
    }
    while (!take()) {
      beds[index].wait([&] { return any_task(); }, 0, bed{*this, index});
    }
    ran[index].set(ran[index].get() + 1);
    running.fetch_add(1, sync::acq_rel);
    meeting.open();
    meeting.wait([&] { return running.load(sync::acquire) == static_cast<int>(Takers); }, 0);
    for (auto& r : ran) RL_ASSERT(r.get() == 1);
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<tasks_that_meet<1>>("one_sleeper");
  models.run<tasks_that_meet<2>>("two_sleepers");
  models.run<tasks_that_meet<3>>("three_sleepers");
  return models.finish();
}
