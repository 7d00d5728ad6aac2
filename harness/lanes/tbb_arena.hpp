// Where a lane's oneTBB loops run: as many threads as all other runtimes have, each
// pinned to the CPU that theirs are.
#pragma once

#include <tbb/global_control.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>
#include <tbb/version.h>

#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "lanes/pin.hpp"

namespace doall::bench {

class tbb_arena {
 public:
  // A lane's first arguments: THREADS CPU,CPU,... of which thread i of the arena is pinned
  // to the i-th; "": to none.
  explicit tbb_arena(char** argv)
      : limit_(tbb::global_control::max_allowed_parallelism,
               static_cast<std::size_t>(std::atoi(argv[1]))),
        arena_(std::atoi(argv[1])),
        pinned_(arena_, argv[2]) {}

  // Enters the arena, once for many loops.
  void execute(const std::function<void()>& run) { arena_.execute(run); }

  unsigned threads() const { return static_cast<unsigned>(arena_.max_concurrency()); }
  static std::string library() { return std::string("oneTBB ") + TBB_runtime_version(); }

 private:
  class pinning : public tbb::task_scheduler_observer {
   public:
    pinning(tbb::task_arena& arena, const std::string& cpus)
        : tbb::task_scheduler_observer(arena), cpus_(cpus_in(cpus)) {
      if (!cpus_.empty()) observe(true);
    }
    ~pinning() override { observe(false); }

    void on_scheduler_entry(bool) override {
      const auto index = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
      pin_calling_thread(cpus_[index % cpus_.size()]);
    }

   private:
    std::vector<int> cpus_;
  };

  tbb::global_control limit_;
  tbb::task_arena arena_;
  pinning pinned_;
};

// Partitioners by their names, for lanes whose loops are templates over them.

template <class Partitioner>
std::string partitioner_name() {
  if constexpr (std::is_same_v<Partitioner, tbb::auto_partitioner>) return "auto_partitioner";
  if constexpr (std::is_same_v<Partitioner, tbb::affinity_partitioner>) {
    return "affinity_partitioner";
  }
  if constexpr (std::is_same_v<Partitioner, tbb::simple_partitioner>) return "simple_partitioner";
  if constexpr (std::is_same_v<Partitioner, tbb::static_partitioner>) return "static_partitioner";
}

// Calls run.template operator()<P>() with that one of the Partitioners, the ones that the loops
// are compiled for. Throws std::invalid_argument when none has the name.
template <class... Partitioner, class Run>
void with_partitioner(const std::string& name, const Run& run) {
  const auto is_called = [&]<class P>() {
    if (name != partitioner_name<P>()) return false;
    run.template operator()<P>();
    return true;
  };
  if (!(is_called.template operator()<Partitioner>() || ...)) {
    throw std::invalid_argument("no partitioner " + name + " here");
  }
}

}  // namespace doall::bench
