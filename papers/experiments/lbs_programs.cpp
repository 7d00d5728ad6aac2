#include "experiments/lbs_programs.hpp"

#include <memory>
#include <utility>

#include "kernels/breadth_first.hpp"
#include "kernels/convolution.hpp"
#include "kernels/floyd_warshall.hpp"
#include "kernels/harness.hpp"
#include "kernels/matmult.hpp"
#include "kernels/programs.hpp"
#include "kernels/queens.hpp"
#include "kernels/quicksort.hpp"
#include "kernels/spmv.hpp"
#include "kernels/tsp.hpp"
#include "lanes/recorded.hpp"
#include "schedule/grammar.hpp"

namespace doall::bench {
namespace {

// A visitor of a program's loops (lanes/recorded.hpp) that makes the tree of them which
// virtual time runs.
class nest_recorder {
 public:
  nest_recorder() {
    begin_loop(1);  // the program
    begin_iteration();
  }

  void begin_loop(std::size_t count) { begin(count); }
  void begin_even_loop(std::size_t count) {
    begin(count);
    even_cost_ = 0;
  }

  void begin_iteration() {
    sim::nested_loop& loop = top();
    loop.costs.push_back(0);
    loop.inner_begin.push_back(static_cast<std::uint32_t>(loop.inner.size()));
  }

  void work(double cycles) { (top().costs.empty() ? even_cost_ : top().costs.back()) += cycles; }

  void end_loop() {
    sim::nested_loop& loop = top();
    if (loop.costs.empty()) {
      loop.cost = loop.iterations == 0 ? 0 : even_cost_ / static_cast<double>(loop.iterations);
    } else {
      loop.inner_begin.push_back(static_cast<std::uint32_t>(loop.inner.size()));
    }
    if (loop.inner.empty()) loop.inner_begin.clear();
    open_.pop_back();
  }

  // Once all has been told.
  sim::nest take() {
    end_loop();
    return std::move(made_);
  }

 private:
  sim::nested_loop& top() { return made_.loops[open_.back()]; }

  void begin(std::size_t count) {
    const auto id = static_cast<std::uint32_t>(made_.loops.size());
    if (!open_.empty()) top().inner.push_back(id);
    made_.loops.push_back({.iterations = count});
    open_.push_back(id);
  }

  sim::nest made_;
  std::vector<std::uint32_t> open_;
  double even_cost_ = 0;  // of the even loop that is open; there is at most one, the innermost
};

// A program's tree of loops, as it is on so many workers.
template <class Kernel>
sim::nest tree_of(Kernel& k, std::uint32_t workers) {
  nest_recorder recorder;
  k.reset();
  if constexpr (requires { run(k, recorded_loops(recorder), workers); }) {
    run(k, recorded_loops(recorder), workers);
  } else {
    run(k, recorded_loops(recorder));
  }
  return recorder.take();
}

}  // namespace

std::vector<lbs_program> lbs_programs(std::uint32_t workers) {
  const auto last = std::make_shared<sim::nest>();
  std::vector<lbs_program> all;
  for (const program& p :
       nested_programs([=](auto& kernel) { *last = tree_of(kernel, workers); })) {
    all.push_back({p.name, [=](size s) {
                     const auto k = p.make(s);
                     p.parallel(*k);
                     return std::move(*last);
                   }});
  }
  return all;
}

std::uint64_t tuned_threshold(const sim::nest& program, sim::stealing_setup how,
                              std::uint64_t largest) {
  constexpr double slowdown_most = 1.075;
  how.workers = 1;
  const auto makespan = [&](std::uint64_t sst) {
    how.schedule = schedules::parse("ebs-simple," + std::to_string(sst)).value;
    return sim::run_by_stealing(program, how).makespan;
  };
  const double best = makespan(largest);
  std::uint64_t tuned = largest;
  for (std::uint64_t sst = largest / 2; sst > 0 && makespan(sst) <= slowdown_most * best;
       sst /= 2) {
    tuned = sst;
  }
  return tuned;
}

}  // namespace doall::bench
