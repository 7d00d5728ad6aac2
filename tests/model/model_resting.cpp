// When others may change a thread's CPUs (src/threads/resting.hpp): while it is at work it has its
// own, and no two threads change them at a time.
#include "model_run.hpp"
#include "threads/resting.hpp"

namespace {

using namespace doall;

constexpr int own = 1;
constexpr int another = 2;

// Thread 0 works, rests and works again; the others try to move it once each.
template <unsigned Movers>
struct tasks_and_moves : rl::test_suite<tasks_and_moves<Movers>, Movers + 1> {
  team::resting word;
  sync::plain<int> cpus;

  void before() { cpus.set(own); }

  void thread(unsigned index) {
    if (index != 0) return move();
    for (int task = 0; task < 2; ++task) {
      word.rest();
      evade();
      word.rise();
      RL_ASSERT(cpus.get() == own);
      cpus.set(own);  // a region binds it
    }
    word.rest();
  }

  // At rest it moves itself, too, unless another does.
  void evade() {
    const team::resting::hold mine(word);
    if (!mine.allowed()) return;
    RL_ASSERT(cpus.get() == own);
    cpus.set(own);
  }

  void move() {
    const team::resting::hold mine(word);
    if (!mine.allowed() || !mine.stays_at_rest()) return;
    RL_ASSERT(cpus.get() == own);
    cpus.set(another);
    cpus.set(own);
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<tasks_and_moves<1>>("one_mover");
  models.run<tasks_and_moves<2>>("two_movers");
  return models.finish();
}
