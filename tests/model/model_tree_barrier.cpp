// The full barrier along a tree (src/barrier/tree_barrier.hpp): nobody leaves before all have
// arrived, and what each did before is visible to all after, in both directions, through one
// level and two, with and without domains, and when the team is smaller for a while.
#include "barrier/tree_barrier.hpp"
#include "model_run.hpp"

namespace {

using namespace doall;

constexpr std::uint32_t two_and_two[] = {2};

barrier::tree by_pairs() { return barrier::tree::over({}); }
barrier::tree by_domains() { return barrier::tree::over(two_and_two); }

template <unsigned Workers, barrier::tree (*Shape)(), std::uint64_t SpinNs>
struct generations : rl::test_suite<generations<Workers, Shape, SpinNs>, Workers> {
  barrier::tree_barrier barrier;
  sync::plain<int> mine[Workers];

  void before() { barrier.make_room(Workers); }

  void meet(unsigned index, unsigned team) { barrier.arrive(Shape(), {0, team}, index, SpinNs); }

  void thread(unsigned index) {
    for (int round = 1; round <= 2; ++round) {
      mine[index].set(round);
      meet(index, Workers);
      for (unsigned w = 0; w < Workers; ++w) RL_ASSERT(mine[w].get() == round);
      meet(index, Workers);
    }
  }
};

// The first two meet by themselves in between; the others come to the next barrier early.
struct a_smaller_team : rl::test_suite<a_smaller_team, 3> {
  barrier::tree_barrier barrier;
  sync::plain<int> mine[3];

  void before() { barrier.make_room(3); }

  void thread(unsigned index) {
    const barrier::tree shape = by_pairs();
    mine[index].set(1);
    barrier.arrive(shape, {0, 3}, index, 0);
    if (index < 2) {
      RL_ASSERT(mine[2].get() == 1);
      barrier.arrive(shape, {0, 2}, index, 0);
      mine[index].set(2);
    }
    barrier.arrive(shape, {0, 3}, index, 0);
    for (unsigned w = 0; w < 2; ++w) RL_ASSERT(mine[w].get() == 2);
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<generations<2, by_pairs, 0>>("two_workers");
  models.run<generations<3, by_pairs, 0>>("three_workers");
  models.run<generations<4, by_pairs, 0>>("two_levels");
  models.run<generations<4, by_domains, 0>>("two_domains");
  models.run<generations<2, by_pairs, 1>>("two_workers_spin");
  models.run<a_smaller_team>("a_smaller_team");
  return models.finish();
}
