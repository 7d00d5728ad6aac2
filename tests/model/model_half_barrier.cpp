// The half-barrier (src/barrier/half_barrier.hpp): a released worker runs the
// task of its release and no other, once; what the master did before the launch
// is visible to it, what it did is visible after the join; nobody waits for
// ever; nobody reads a task while it is written (Relacy reports the race).
#include "barrier/half_barrier.hpp"
#include "model_run.hpp"

namespace {

using namespace doall;

constexpr std::uint32_t workers = 3;

// Three launches, of which the last worker is left out of the second, and the end.
template <std::uint64_t SpinNs>
struct launches : rl::test_suite<launches<SpinNs>, workers> {
  barrier::half_barrier barrier;
  barrier::half_barrier_seat seats[workers];
  sync::plain<int> input;            // the master's, read by all
  sync::plain<int> result[workers];  // a worker's, read by the master

  static void work(const barrier::task& work, std::uint32_t w) {
    auto& self = *static_cast<launches*>(work.context);
    self.result[w].set(self.result[w].get() + self.input.get());
  }

  // Adds `addend` to the results of the first `size` workers, in parallel.
  void launch(std::uint32_t size, int addend) {
    const barrier::task task{work, this};
    const auto seat = [&](std::uint32_t w) -> auto& { return seats[w]; };
    input.set(addend);
    barrier.master_release(seat, size, task);
    work(task, 0);
    barrier.master_join(seat, size, SpinNs);
  }

  void thread(unsigned index) {
    if (index == 0) {
      launch(workers, 1);
      expect(1, 1, 1);
      launch(workers - 1, 10);
      expect(11, 11, 1);
      launch(workers, 100);
      expect(111, 111, 101);
      barrier.master_release([&](std::uint32_t w) -> auto& { return seats[w]; }, workers, {});
      return;
    }
    std::uint64_t seen = 0;
    for (;;) {
      const barrier::task task = barrier.worker_wait(seats[index], seen, SpinNs);
      if (task.run == nullptr) return;
      task.run(task, index);
      barrier.worker_join(seats[index], seen);
    }
  }

  // By the master, after a join.
  void expect(int first, int second, int third) {
    RL_ASSERT(result[0].get() == first);
    RL_ASSERT(result[1].get() == second);
    RL_ASSERT(result[2].get() == third);
  }
};

// One worker, one launch and the end: small enough to be searched.
struct one_launch : rl::test_suite<one_launch, 2> {
  barrier::half_barrier barrier;
  barrier::half_barrier_seat seats[2];
  sync::plain<int> data;

  static void work(const barrier::task& work, std::uint32_t) {
    auto& data = static_cast<one_launch*>(work.context)->data;
    data.set(data.get() + 1);
  }

  void thread(unsigned index) {
    const auto seat = [&](std::uint32_t w) -> auto& { return seats[w]; };
    if (index == 0) {
      data.set(41);
      barrier.master_release(seat, 2, {work, this});
      barrier.master_join(seat, 2, 0);
      RL_ASSERT(data.get() == 42);
      barrier.master_release(seat, 2, {});
      return;
    }
    std::uint64_t seen = 0;
    for (;;) {
      const barrier::task task = barrier.worker_wait(seats[1], seen, 0);
      if (task.run == nullptr) return;
      task.run(task, 1);
      barrier.worker_join(seats[1], seen);
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<launches<0>>("launches");
  models.run<launches<1>>("launches_spin");
  models.search<one_launch>("one_launch_all", 3);
  return models.finish();
}
