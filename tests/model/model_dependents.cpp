// Dependences between tasks (src/tasks/dependent.hpp): a maker links a task to two earlier ones
// while these end. It is handed over once, by one thread, which has seen what both did.
#include "model_run.hpp"
#include "tasks/dependent.hpp"

namespace {

using namespace doall;
using tasks::dependent;

// The model keeps a reference to each: it does not show who frees them.
struct two_before : rl::test_suite<two_before, 3> {
  dependent earlier[2] = {dependent(nullptr), dependent(nullptr)};
  dependent later{nullptr};
  sync::plain<int> done[2];
  sync::plain<int> handed_over;
  sync::atomic<int> times{0};

  void before() { handed_over.set(0); }

  void hand_over() {
    for (auto& d : done) RL_ASSERT(d.get() == 1);
    RL_ASSERT(handed_over.get() == 0);
    handed_over.set(1);
    times.fetch_add(1, sync::relaxed);
  }

  void thread(unsigned index) {
    if (index == 2) {
      for (auto& e : earlier) later.wait_for(&e);
      if (later.has_one_less()) hand_over();
    } else {
      done[index].set(1);
      earlier[index].end([&](dependent*) { hand_over(); });
    }
  }

  void after() { RL_ASSERT(times.load(sync::relaxed) == 1); }
};

// Two that wait for the same one.
struct one_before : rl::test_suite<one_before, 3> {
  dependent earlier{nullptr};
  dependent later[2] = {dependent(nullptr), dependent(nullptr)};
  sync::plain<int> done;
  sync::atomic<int> times{0};

  void thread(unsigned index) {
    if (index == 2) {
      done.set(1);
      earlier.end([&](dependent*) { times.fetch_add(1, sync::relaxed); });
      return;
    }
    later[index].wait_for(&earlier);
    if (later[index].has_one_less()) {
      RL_ASSERT(done.get() == 1);
      times.fetch_add(1, sync::relaxed);
    } else if (!later[index].waits()) {
      RL_ASSERT(done.get() == 1);
    }
  }

  void after() { RL_ASSERT(times.load(sync::relaxed) == 2); }
};

// One that waits for a join of two: the thread that ends the second of these ends the join.
struct through_a_join : rl::test_suite<through_a_join, 3> {
  dependent earlier[2] = {dependent(nullptr), dependent(nullptr)};
  dependent join{nullptr};
  dependent later{nullptr};
  sync::plain<int> done[2];
  sync::atomic<int> times{0};

  void hand_over() {
    for (auto& d : done) RL_ASSERT(d.get() == 1);
    times.fetch_add(1, sync::relaxed);
  }

  void thread(unsigned index) {
    if (index == 2) {
      for (auto& e : earlier) join.wait_for(&e);
      if (!join.has_one_less()) later.wait_for(&join);
      if (later.has_one_less()) hand_over();
    } else {
      done[index].set(1);
      earlier[index].end([&](dependent* ready) {
        RL_ASSERT(ready == &join);
        join.end([&](dependent*) { hand_over(); });
      });
    }
  }

  void after() { RL_ASSERT(times.load(sync::relaxed) == 1); }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<two_before>("two_before");
  models.run<one_before>("one_before");
  models.run<through_a_join>("through_a_join");
  return models.finish();
}
