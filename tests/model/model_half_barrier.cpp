// The half-barrier (src/barrier/half_barrier.hpp): each part of a task is run once, by its
// worker or, in a task for whoever comes, by a leader that stands in; what the master did
// before the launch is visible to it, what it did is visible after the join; nobody
// waits for ever; nobody reads a task while it is written (Relacy reports the race).
#include "barrier/half_barrier.hpp"
#include "model_run.hpp"

namespace {

using namespace doall;

constexpr auto everyone = barrier::attendance::everyone;
constexpr auto whoever_comes = barrier::attendance::whoever_comes;

// Workers with their slots, and a sum that each part of a task adds to.
template <std::uint32_t Workers>
struct team {
  struct slots {
    team& of;
    barrier::half_barrier_slot& operator()(std::uint32_t w) const { return of.slot[w]; }
    template <class Ready>
    void wait_for(std::uint32_t w, Ready ready) const {
      of.slot[w].joining.wait(ready, of.spin_ns);
    }
  };
  using team_barrier = barrier::half_barrier<slots>;

  barrier::half_barrier_slot slot[Workers];
  barrier::tree shape = barrier::tree::flat();
  std::uint64_t spin_ns = 0;
  sync::plain<int> input;            // the master's, read by all
  sync::plain<int> result[Workers];  // of a part, read by the master

  team_barrier barrier() { return {slots{*this}, shape, spin_ns}; }

  static void work(const barrier::task& work, std::uint32_t w) {
    auto& self = *static_cast<team*>(work.context);
    self.result[w].set(self.result[w].get() + self.input.get());
  }

  // By the master: adds `addend` to the results of the first `size` parts, in parallel.
  void launch(std::uint32_t size, int addend, barrier::attendance who) {
    input.set(addend);
    barrier().lead(
        {0, size},
        {.run = work, .context = this, .workers = static_cast<std::uint16_t>(size), .who = who});
  }

  void end() {
    shape = barrier::tree::flat();
    barrier().release({0, Workers}, {});
  }

  // What a worker's thread does.
  void serve(std::uint32_t index) {
    std::uint64_t seen = 0;
    for (;;) {
      const barrier::task& task = team_barrier::take(
          slot[index], seen, [&](auto ready) { slot[index].idle.wait(ready, spin_ns); });
      if (task.run == nullptr) return;
      barrier().lead({index, task.end}, task);
      team_barrier::finish(slot[index], seen);
    }
  }

  void expect(std::uint32_t w, int sum) { RL_ASSERT(result[w].get() == sum); }
};

// Three launches of a flat team, of which the last worker is left out of the second.
template <barrier::attendance Who, std::uint64_t SpinNs>
struct launches : rl::test_suite<launches<Who, SpinNs>, 3> {
  team<3> all;

  void thread(unsigned index) {
    if (index != 0) return all.serve(index);
    all.spin_ns = SpinNs;
    all.launch(3, 1, Who);
    all.launch(2, 10, Who);
    all.launch(3, 100, Who);
    for (const std::uint32_t w : {0, 1}) all.expect(w, 111);
    all.expect(2, 101);
    all.end();
  }
};

// Launches for everyone and for whoever comes in turn.
struct mixed : rl::test_suite<mixed, 3> {
  team<3> all;

  void thread(unsigned index) {
    if (index != 0) return all.serve(index);
    all.launch(3, 1, whoever_comes);
    all.launch(3, 10, everyone);
    all.launch(3, 100, whoever_comes);
    for (const std::uint32_t w : {0, 1, 2}) all.expect(w, 111);
    all.end();
  }
};

// A tree of two levels: 0 leads 1 and 2, and 2 leads 3.
template <barrier::attendance Who>
struct two_levels : rl::test_suite<two_levels<Who>, 4> {
  team<4> all;

  void thread(unsigned index) {
    if (index != 0) return all.serve(index);
    all.shape = barrier::tree::over({});
    all.launch(4, 1, Who);
    all.launch(4, 10, Who);
    for (const std::uint32_t w : {0, 1, 2, 3}) all.expect(w, 11);
    all.end();
  }
};

// Two domains of two: their leaders run a part each, and launch one on their own domain.
struct domains : rl::test_suite<domains, 4> {
  static constexpr std::uint32_t starts[] = {0, 2};
  team<4> all;

  static void on_domain(const barrier::task& work, std::uint32_t w) {
    auto& self = *static_cast<domains*>(work.context);
    self.all.barrier().lead(
        {w, w + 2}, {.run = team<4>::work, .context = &self.all, .workers = 2, .who = everyone});
  }

  void thread(unsigned index) {
    if (index != 0) return all.serve(index);
    all.shape = barrier::tree::over(starts);
    all.input.set(1);
    all.barrier().lead({0, 4},
                       {.run = on_domain, .context = this, .workers = 4, .leaders_only = true});
    all.launch(4, 10, everyone);
    for (const std::uint32_t w : {0, 1, 2, 3}) all.expect(w, 11);
    all.end();
  }
};

// A reduction of four words, put together left before right in a tree of two levels.
template <barrier::attendance Who>
struct reduction : rl::test_suite<reduction<Who>, 4> {
  team<4> all;
  sync::plain<int> view[4];

  static void work(const barrier::task& work, std::uint32_t w) {
    static_cast<reduction*>(work.context)->view[w].set(static_cast<int>(w) + 1);
  }
  static void combine(void* context, std::uint32_t into, std::uint32_t from) {
    auto& view = static_cast<reduction*>(context)->view;
    int shift = 1;
    for (int right = view[from].get(); right > 0; right /= 10) shift *= 10;
    view[into].set(view[into].get() * shift + view[from].get());
  }

  void thread(unsigned index) {
    if (index != 0) return all.serve(index);
    all.shape = barrier::tree::over({});
    const barrier::task::combination combining = combine;
    all.barrier().lead({0, 4}, {.run = work,
                                .context = this,
                                .function = std::bit_cast<void (*)(void*)>(combining),
                                .workers = 4,
                                .who = Who,
                                .combines = true});
    RL_ASSERT(view[0].get() == 1234);
    all.end();
  }
};

// A task that carries its context, two words, along a tree of two levels.
template <barrier::attendance Who>
struct carrying : rl::test_suite<carrying<Who>, 4> {
  struct context {
    carrying* of;
    std::uint64_t addend;
  };
  team<4> all;

  // What is read lies in the worker's lines until it has finished.
  static void work(const barrier::task& work, std::uint32_t w) {
    const auto& mine = *static_cast<const context*>(work.context);
    team<4>& all = mine.of->all;
    if (work.context == all.slot[w].work.get().carried) RL_ASSERT(w != 0);
    all.result[w].set(all.result[w].get() + static_cast<int>(mine.addend));
  }

  void launch(std::uint64_t addend) {
    context one{this, addend};
    all.barrier().lead({0, 4},
                       {.run = work, .context = &one, .workers = 4, .who = Who, .carried = 2});
    one.addend = 1000;  // nobody reads it any more
  }

  void thread(unsigned index) {
    if (index != 0) return all.serve(index);
    all.shape = barrier::tree::over({});
    launch(1);
    launch(10);
    for (const std::uint32_t w : {0, 1, 2, 3}) all.expect(w, 11);
    all.end();
  }
};

// One worker, one launch and the end: small enough to be searched.
template <barrier::attendance Who>
struct one_launch : rl::test_suite<one_launch<Who>, 2> {
  team<2> all;

  void thread(unsigned index) {
    if (index != 0) return all.serve(index);
    all.launch(2, 42, Who);
    all.expect(0, 42);
    all.expect(1, 42);
    all.end();
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<launches<everyone, 0>>("launches");
  models.run<launches<everyone, 1>>("launches_spin");
  models.run<launches<whoever_comes, 0>>("whoever_comes");
  models.run<launches<whoever_comes, 1>>("whoever_comes_spin");
  models.run<mixed>("mixed");
  models.run<two_levels<everyone>>("two_levels");
  models.run<two_levels<whoever_comes>>("two_levels_whoever");
  models.run<domains>("domains");
  models.run<reduction<everyone>>("reduction");
  models.run<reduction<whoever_comes>>("reduction_whoever");
  models.run<carrying<everyone>>("carrying");
  models.run<carrying<whoever_comes>>("carrying_whoever");
  models.search<one_launch<everyone>>("one_launch_all", 2);
  models.search<one_launch<whoever_comes>>("one_launch_whoever_all", 2);
  return models.finish();
}
