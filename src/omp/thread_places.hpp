// Binds the threads of regions to places (team_places.hpp).
//
// A task's partition is not kept: a region knows what the encountering task had, and the thread's
// number gives the rest. So a region in a process that binds no threads computes nothing, and its
// tasks are as large as before.
//
// Threads are moved by themselves as they begin their part, and only if their place is another one
// than that where they are (threads/placement.hpp): the regions of a program that uses the same
// teams again move nobody. The encountering thread never moves; one that is at no place yet goes to
// the first of its partition, as it does when it asks where it is. KMP_AFFINITY=reset frees it
// again when its outermost region ends.
//
// The teams of a league may have parts of the places, as threads under `spread` do. They run one
// after the other, so a region with more threads than its team's part has places gets them all.
#pragma once

#include <span>

#include "omp/state.hpp"

namespace doall::omp {

// place-partition-var of the task.
place_range partition_of(const task_state& task);

// omp_get_place_num(): the place to which the calling thread is bound, which binds it if threads
// are to be; else the one whose CPUs it may use; -1: none.
int place_of_this_thread();

// Chooses the places of the region's threads, before any of them begins. Called by the encountering
// thread, whose task is `parent`, if the process has places.
void choose_places(region& r, const task_state& parent, binding clause);

// Called by a worker as it begins its part of a region whose threads have places, or show them. The
// leader, which stays where it is, only shows its place.
void take_place(const task_state& me);
void show_place();

// Called by the encountering thread, whose task is `parent`, when the region has ended.
void end_places(const task_state& parent);

// The places of a league's teams, while this lives; `none`: they stay where the thread is.
class league_places {
 public:
  league_places(task_state& me, std::uint32_t teams, binding bind);
  ~league_places();
  league_places(const league_places&) = delete;
  league_places& operator=(const league_places&) = delete;

  // Called before each team runs.
  void take(std::uint32_t team) const;

 private:
  task_state& me_;
  team_places places_;
};

// Whether a region that spreads as many threads as `domain_starts` names domains gives the n-th of
// them places of the n-th domain alone: then the domain's workers may be its inner teams. True if
// no thread is bound. O(places times workers) at a thread's first such region, then O(1).
bool parts_are_domains(const task_state& task, std::span<const std::uint32_t> domain_starts);

}  // namespace doall::omp
