// Threads that use what lies on another's stack in a region that is cancelled
// (src/tasks/meetings.hpp with src/barrier/full_barrier.hpp): who hands data round leaves its frame
// only when nobody uses it any more, and nobody waits for ever.
#include "barrier/full_barrier.hpp"
#include "model_run.hpp"
#include "tasks/meetings.hpp"

namespace {

using namespace doall;

enum class cancels { instead_of_meeting, between_meetings, and_meets };

// Thread 0 hands data round, as `single copyprivate` does: two barriers, which all meet. The last
// thread cancels the region.
template <cancels When, unsigned Threads>
struct hands_round : rl::test_suite<hands_round<When, Threads>, Threads> {
  tasks::meetings meetings;
  tasks::meetings::count counts[Threads];
  barrier::full_barrier barrier;
  sync::plain<int> frame;  // thread 0's
  sync::plain<bool> is_handed;
  sync::plain<int> found;  // the canceller's

  void before() {
    frame.set(0);
    is_handed.set(false);
    found.set(0);
  }

  bool is_cancelled() const {
    if (meetings.cancelled() == 0) return false;
    RL_ASSERT(found.get() == 1);
    return true;
  }
  void cancel() {
    found.set(1);
    meetings.cancel(tasks::meetings::cancelled_parallel);
    barrier.wake();
  }

  // As team_barrier() in team_barrier.cpp.
  void meet(unsigned index) {
    meetings.come(counts[index]);
    if (!is_cancelled()) {
      barrier.arrive(
          Threads,
          [&](park::gate& at, auto ready) {
            at.wait([&] { return ready() || is_cancelled(); }, 0);
          },
          [] {});
    }
    if (is_cancelled()) {
      meetings.wait_for_all(
          counts[index], Threads,
          [&](unsigned i) -> const tasks::meetings::count& { return counts[i]; }, 0);
    }
  }

  void thread(unsigned index) {
    if (index == 0) {
      frame.set(1);
      is_handed.set(true);
      meet(index);
      meet(index);
      frame.set(2);
    } else if (index < Threads - 1) {
      meet_and_read(index);
      meet(index);
    } else if (When == cancels::instead_of_meeting) {
      cancel();
    } else if (When == cancels::between_meetings) {
      meet_and_read(index);
      cancel();
    } else {
      meet_and_read(index);
      meet(index);
    }
    meetings.leave(counts[index]);
  }

  void meet_and_read(unsigned index) {
    if (When == cancels::and_meets) cancel();
    meet(index);
    if (is_handed.get()) RL_ASSERT(frame.get() == 1);
  }
};

// The thread that would hand data round cancels the region and leaves it instead.
struct hands_nothing_round : rl::test_suite<hands_nothing_round, 2> {
  hands_round<cancels::instead_of_meeting, 2> in;

  void before() { in.before(); }
  void thread(unsigned index) {
    if (index == 0) {
      in.cancel();
      in.is_handed.set(false);
    } else {
      in.meet(index);
      RL_ASSERT(!in.is_handed.get());
      in.meet(index);
    }
    in.meetings.leave(in.counts[index]);
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<hands_round<cancels::instead_of_meeting, 2>>("cancelled_2");
  models.run<hands_round<cancels::instead_of_meeting, 3>>("cancelled_3");
  models.run<hands_round<cancels::between_meetings, 2>>("cancelled_between_2");
  models.run<hands_round<cancels::between_meetings, 3>>("cancelled_between_3");
  models.run<hands_round<cancels::and_meets, 2>>("cancelled_by_one_that_meets");
  models.run<hands_nothing_round>("hands_nothing_round");
  return models.finish();
}
