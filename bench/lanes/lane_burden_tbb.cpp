// oneTBB's lane.
//
//   lane-burden-tbb THREADS [CPU...]     thread i of the arena is pinned to the i-th CPU
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>

#include <cstdlib>

#include "lanes/burden_lane.hpp"
#include "lanes/pin.hpp"

namespace {

using doall::bench::iterations;
using doall::bench::kernel;

class pinning : public tbb::task_scheduler_observer {
 public:
  pinning(tbb::task_arena& arena, std::vector<int> cpus)
      : tbb::task_scheduler_observer(arena), cpus_(std::move(cpus)) {
    if (!cpus_.empty()) observe(true);
  }
  ~pinning() override { observe(false); }

  void on_scheduler_entry(bool) override {
    const auto index = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
    doall::bench::pin_calling_thread(cpus_[index % cpus_.size()]);
  }

 private:
  std::vector<int> cpus_;
};

// `partitioner` outlives the kernel: the affinity partitioner remembers from
// loop to loop who ran what.
template <class Partitioner>
kernel kernel_for(const std::string& name, tbb::task_arena& arena, Partitioner& partitioner) {
  kernel k = doall::bench::make_kernel(name, [&partitioner](auto body) {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, iterations, 1),
        [](const tbb::blocked_range<int>& range) {
          for (int i = range.begin(); i < range.end(); ++i) decltype(body)::run(i);
        },
        partitioner);
  });
  // The arena is entered once a batch, not once a loop.
  for (auto* run : {&k.run, &k.run_counting, &k.run_witnessed}) {
    *run = [&arena, inside = *run](std::uint64_t loops) { arena.execute([&] { inside(loops); }); };
  }
  return k;
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : tbb::this_task_arena::max_concurrency();
  std::vector<int> cpus;
  for (int i = 2; i < argc; ++i) cpus.push_back(std::atoi(argv[i]));

  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  const pinning pinned(arena, cpus);
  tbb::static_partitioner by_static;
  tbb::simple_partitioner by_simple;
  tbb::auto_partitioner by_auto;
  tbb::affinity_partitioner by_affinity;
  doall::bench::serve(std::string("oneTBB ") + TBB_runtime_version(),
                      static_cast<unsigned>(arena.max_concurrency()),
                      {
                          kernel_for("static_partitioner", arena, by_static),
                          kernel_for("simple_partitioner,1", arena, by_simple),
                          kernel_for("auto_partitioner", arena, by_auto),
                          kernel_for("affinity_partitioner", arena, by_affinity),
                      });
}
