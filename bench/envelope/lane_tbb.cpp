// oneTBB's lane.
//
//   envelope-lane-tbb THREADS [CPU...]     thread i of the arena is pinned to the i-th CPU
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>
#include <tbb/version.h>

#include <cstdlib>

#include "burden/pin.hpp"
#include "envelope/lane.hpp"
#include "kernels/uforall/runtimes.hpp"

namespace {

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

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : tbb::this_task_arena::max_concurrency();
  std::vector<int> cpus;
  for (int i = 2; i < argc; ++i) cpus.push_back(std::atoi(argv[i]));

  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  const pinning pinned(arena, cpus);
  std::vector<doall::bench::uforall::variant> variants = doall::bench::uforall::tbb_variants();
  for (auto& v : variants) {
    v.enter = [&arena](const std::function<void()>& run) { arena.execute(run); };
  }
  doall::bench::serve(std::string("oneTBB ") + TBB_runtime_version(),
                      static_cast<unsigned>(arena.max_concurrency()), variants);
}
