// The full barrier (src/barrier/full_barrier.hpp): nobody leaves before all have
// arrived, and what each did before is visible to all after, in both directions:
// the second generation overwrites what the first one's workers read.
#include "barrier/full_barrier.hpp"
#include "model_run.hpp"

namespace {

using namespace doall;

template <unsigned Workers, std::uint64_t SpinNs>
struct generations : rl::test_suite<generations<Workers, SpinNs>, Workers> {
  barrier::full_barrier barrier;
  sync::plain<int> mine[Workers];

  void thread(unsigned index) {
    for (int round = 1; round <= 2; ++round) {
      mine[index].set(round);
      barrier.arrive(Workers, SpinNs);
      for (unsigned w = 0; w < Workers; ++w) RL_ASSERT(mine[w].get() == round);
      barrier.arrive(Workers, SpinNs);
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<generations<2, 0>>("two_workers");
  models.run<generations<3, 0>>("three_workers");
  models.run<generations<2, 1>>("two_workers_spin");
  return models.finish();
}
