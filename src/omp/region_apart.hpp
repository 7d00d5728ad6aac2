// A region of one thread that is in no other: where a target region runs on the host, and a league
// that begins inside a parallel region.
#pragma once

#include <memory>

#include "omp/state.hpp"

namespace doall::omp {

// The calling thread is in it as long as this lives.
class region_apart {
 public:
  explicit region_apart(const icvs& settings)
      : region_(with(settings, &self())), initial_(*region_, 0) {}
  region_apart(const region_apart&) = delete;
  region_apart& operator=(const region_apart&) = delete;

 private:
  static std::unique_ptr<region> with(const icvs& settings, task_state* around) {
    auto made = std::make_unique<region>();
    made->settings = settings;
    made->around = around;
    return made;
  }

  const std::unique_ptr<region> region_;  // in the child of a fork this stack may be another's
  const task_state initial_;
};

}  // namespace doall::omp
