// Parallel regions: which threads form the team, and how the work gets to them.
#pragma once

#include <memory>
#include <optional>

#include "omp/inner_threads.hpp"
#include "omp/loop_dealing.hpp"
#include "omp/small_regions.hpp"
#include "omp/source_place.hpp"
#include "omp/state.hpp"
#include "omp/team_shape.hpp"
#include "omp/unnamed_loops.hpp"

namespace doall::omp {

// A loop that is its whole region (`parallel for` in one construct).
struct whole_region_loop {
  loop_dealing dealing;
  std::uint64_t iterations = 0;
  schedules::numbering source;
};

// One execution of a parallel construct, from the fork (constructor) to the join (destructor). In
// between, the calling thread is worker 0 of the region and calls the function itself.
class region_run {
 public:
  // `wish`: what the clauses ask for. `loop` may be null. Without a place the function's is used.
  region_run(void (*function)(void*), void* data, const team_wish& wish,
             const whole_region_loop* loop = nullptr, std::uintptr_t* reductions = nullptr,
             const source_place& place = {});
  ~region_run();
  region_run(const region_run&) = delete;
  region_run& operator=(const region_run&) = delete;

  std::uint32_t size() const { return region_->size; }

 private:
  // Whether each thread of the actual team leads a domain. An inner pool has no domains.
  bool leads_domains() const { return shape_.one_a_domain() && !lease_.is_beside(); }
  region& choose_region();
  void describe(const team_wish& wish, std::uintptr_t* reductions);
  void choose_meeting();
  bool join();
  void count(region& r);
  void open_loop(const source_place& place, const whole_region_loop& loop);

  task_state& parent_;  // the encountering task
  team_shape shape_;    // as wished for
  small_region length_;
  unnamed_loops unnamed_;
  inner_threads beside_;  // its threads, beside those around it
  team::pool::lease lease_;
  std::uint32_t size_;  // of the actual team
  doall_costs costs_;   // of the region's first loop, if any were named before it
  bool has_costs_ = false;
  costs::kept_costs* held_costs_ = nullptr;  // by the loop that is the whole region
  std::unique_ptr<region> alone_;            // a team of one has a region of its own
  region* region_;
  observe::counting counted_{};
  std::uint64_t entered_ticks_ = 0;
  std::optional<task_state> master_;
};

// The most threads that a region met by `task` can get.
std::uint32_t wanted_team_size(const task_state& task, unsigned num_threads);

// Waits for all threads of the team, and until all tasks of the team are complete; executes tasks
// meanwhile. Returns whether the region is cancelled: then threads need not have met.
bool team_barrier(task_state& me);

// The same for constructs in which a thread uses what lies on the stack of another: when the region
// is cancelled it waits, too, until each thread has come here or has left the region.
bool meet_all(task_state& me);

// Called by the leader before the region begins.
void forget_meetings(region& r);

// What the thread that ran the current single construct hands round. Called on the others after the
// barrier in which they meet it: null if it has left a cancelled region instead.
inline void hand_round(task_state& me, void* data) {
  me.team->copied = data;
  me.team->copied_in = me.next_single;
}
inline void* handed_round(const task_state& me) {
  return me.team->copied_in == me.next_single ? me.team->copied : nullptr;
}

// Whether threads of the region may never come to where others wait for them: it is cancelled, or
// this is the child of a fork in it. Then no thread waits for others.
bool is_given_up(const region& r);

// Ends the implicit task's part of the region: what it has made is complete after.
void end_part(task_state& me);

// Whether the task is the first of its team to meet its next single construct.
inline bool begin_single(task_state& me) {
  std::uint64_t mine = me.next_single++;
  // (1) relaxed; alone: it decides only the winner; a barrier orders what that does
  return me.team->singles.compare_exchange_strong(mine, mine + 1, sync::relaxed, sync::relaxed);
}

// The loops of the task's region; makes them for a team of one.
team::loop_ring& loops_of(region& r);

}  // namespace doall::omp
