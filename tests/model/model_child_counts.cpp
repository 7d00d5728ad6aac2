// The counts of a task's children (src/tasks/child_counts.hpp): a parent waits for them, or leaves
// before they end. Exactly one thread learns that all are complete, and has then seen what all did.
#include "model_run.hpp"
#include "park/gate.hpp"
#include "tasks/child_counts.hpp"

namespace {

using namespace doall;
using tasks::child_counts;

// Counts whose runner takes off what has reported before it makes its third child.
using soon_full = tasks::basic_child_counts<child_counts::both>;

enum class waits_for { nothing, finished, complete };

// Two children elsewhere, and one on the parent's own thread. The second one finishes before it is
// complete, as a task does that leaves children of its own behind.
template <waits_for What, class Counts = child_counts>
struct parent : rl::test_suite<parent<What, Counts>, 3> {
  Counts counts;
  park::gate bed;
  sync::plain<int> done[3];
  sync::plain<int> freed;
  sync::atomic<int> told{0};

  void before() {
    counts.reset();
    for (int i = 0; i < 2; ++i) counts.add();
    freed.set(0);
  }

  void all_are_complete() {
    for (auto& d : done) RL_ASSERT(d.get() == 1);
    RL_ASSERT(freed.get() == 0);
    freed.set(1);
    told.fetch_add(1, sync::relaxed);
  }

  void thread(unsigned index) {
    if (index == 0) {
      run_parent();
    } else if (index == 1) {
      done[0].set(1);
      report(child_counts::both);
    } else {
      report(child_counts::finished);
      done[1].set(1);
      report(child_counts::complete);
    }
  }

  void run_parent() {
    counts.add();
    done[2].set(1);
    RL_ASSERT(counts.report_here(child_counts::both));
    if (What == waits_for::finished) {
      bed.wait([&] { return counts.all_finished(); }, 0);
      RL_ASSERT(done[0].get() == 1);
    } else if (What == waits_for::complete) {
      bed.wait([&] { return counts.all_complete(); }, 0);
      RL_ASSERT(done[0].get() == 1 && done[1].get() == 1);
    }
    if (counts.leave()) all_are_complete();
  }

  void report(child_counts::count what) {
    if (counts.report_away(what)) {
      all_are_complete();
    } else {
      bed.open();
    }
  }

  void after() { RL_ASSERT(told.load(sync::relaxed) == 1); }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<parent<waits_for::nothing>>("leaves");
  models.run<parent<waits_for::finished>>("taskwait");
  models.run<parent<waits_for::complete>>("taskgroup");
  models.run<parent<waits_for::nothing, soon_full>>("leaves_full");
  models.run<parent<waits_for::complete, soon_full>>("taskgroup_full");
  return models.finish();
}
