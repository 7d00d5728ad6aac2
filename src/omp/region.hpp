// Parallel regions: who forms the team, and how the work gets to it.
#pragma once

#include <memory>
#include <optional>

#include "omp/state.hpp"

namespace doall::omp {

// A loop that is all its region does (`parallel for` in one construct).
struct whole_region_loop {
  schedules::spec how;
  std::uint64_t iterations = 0;
  schedules::numbering source;
};

// One execution of a parallel construct, from the fork (constructor) to the
// join (destructor). In between, the calling thread is worker 0 of the region:
// who makes a region_run calls the function itself.
class region_run {
 public:
  // num_threads: of the clause, 0 when there is none. `loop` may be null.
  region_run(void (*function)(void*), void* data, unsigned num_threads,
             const whole_region_loop* loop = nullptr, std::uintptr_t* reductions = nullptr);
  ~region_run();
  region_run(const region_run&) = delete;
  region_run& operator=(const region_run&) = delete;

  std::uint32_t size() const { return region_->size; }

 private:
  void describe(task_state& parent, std::uintptr_t* reductions, bool one_loop);
  void open_loop(const void* code, const whole_region_loop& loop);

  team::crew::lease lease_;
  std::unique_ptr<region> alone_;  // a team of one has a region of its own
  region* region_;
  std::uint64_t entered_ticks_ = 0;
  std::optional<task_state> master_;
};

// The size that a region met by `task` gets if the threads can be had: the
// clause or nthreads-var, 1 beyond max-active-levels-var, within thread-limit-var.
std::uint32_t wanted_team_size(const task_state& task, unsigned num_threads);

// Waits for everybody in the team.
void team_barrier(task_state& me);

// The loops of the task's region; makes them for a team of one.
team::loop_ring& loops_of(region& r);

}  // namespace doall::omp
