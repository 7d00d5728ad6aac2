// First touch (src/base/first_touch.hpp): the state is initialised exactly once
// an epoch, by one worker, and whoever is told that it is ready sees it as
// initialised. Two epochs, as two loops in the same storage: a full barrier
// stands between them, as the join of a loop does.
#include "barrier/full_barrier.hpp"
#include "base/first_touch.hpp"
#include "model_run.hpp"

namespace {

using namespace doall;

constexpr unsigned workers = 3;

struct epochs : rl::test_suite<epochs, workers> {
  base::first_touch touch;
  sync::plain<std::uint64_t> state;
  sync::atomic<int> initialised{0};
  barrier::full_barrier barrier;

  // Brings the state up to date if it must; reads it if it may.
  void use(std::uint64_t epoch) {
    const bool ready = touch.ensure(epoch, [&] {
      // (1) relaxed; alone: a count, read after the barrier
      initialised.fetch_add(1, sync::relaxed);
      state.set(epoch);
    });
    if (ready) RL_ASSERT(state.get() == epoch);
  }

  // Only looks, as a thief does that compares loads.
  void look(std::uint64_t epoch) {
    if (touch.look(epoch) == base::first_touch::state::ready) RL_ASSERT(state.get() == epoch);
  }

  void thread(unsigned index) {
    for (std::uint64_t epoch = 1; epoch <= 2; ++epoch) {
      if (index != 0) look(epoch);
      use(epoch);
      barrier.arrive(workers, 0);
      // (2) relaxed; alone: the barrier has ordered it
      RL_ASSERT(initialised.load(sync::relaxed) == static_cast<int>(epoch));
      RL_ASSERT(touch.look(epoch) == base::first_touch::state::ready);
      barrier.arrive(workers, 0);
    }
  }
};

// One epoch only: small enough for every interleaving.
struct one_epoch : rl::test_suite<one_epoch, workers> {
  base::first_touch touch;
  sync::plain<int> initialised;

  void thread(unsigned) {
    if (touch.ensure(1, [&] { initialised.set(initialised.get() + 1); })) {
      RL_ASSERT(initialised.get() == 1);
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<epochs>("epochs");
  models.search<one_epoch>("one_epoch_all");
  return models.finish();
}
