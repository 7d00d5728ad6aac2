// What is kept for the tool: of threads, parallel regions and tasks.
//
// The engine's own objects know nothing of it, but for an explicit task's (task_extra::record). A
// thread's record has the task that it runs now; a task's the one that the same thread ran before.
// So the records of a thread are a chain, which is its stack of tasks.
//
// Nothing here exists without a tool.
#pragma once

#include <cstdint>
#include <memory>

#include "base/sync.hpp"
#include "doall/omp-tools.h"
#include "omp/ompt/caller.hpp"

namespace doall::omp::ompt {

// What an implicit task's end has for its parallelism, and its thread's number.
inline constexpr unsigned at_the_end = 0;

struct task_record;

// One execution of a parallel construct or a league, or all that a thread does outside of them.
// Workers keep it until they leave the region, which may be after its end (regions.cpp).
struct parallel_record : std::enable_shared_from_this<parallel_record> {
  ompt_data_t data{};
  std::uint32_t size = 1;
  int flags = 0;
  task_record* encountering = nullptr;
  const void* frame = nullptr;  // in the function that calls the first thread's part
  const void* code = nullptr;
  // What the region's threads run.
  void (*function)(void*) = nullptr;
  void* argument = nullptr;
  // Of a region that is one loop: what each thread begins with.
  ompt_work_t loop{};
  std::uint64_t iterations = 0;
};

// The worksharing construct that a task is in; kind 0: none.
struct open_work {
  ompt_work_t kind{};
  std::uint64_t count = 0;
  const void* code = nullptr;
};

struct task_record {
  ompt_data_t data{};
  ompt_frame_t frame{};
  int flags = 0;
  std::uint32_t thread_num = 0;
  std::shared_ptr<parallel_record> in;
  task_record* below = nullptr;  // what the thread ran before
  ompt_state_t state_below{};    // what it did then
  open_work work;
  bool single = false;  // in a single construct that nothing ends (GCC's ABI)
  const void* single_code = nullptr;
  bool leads = false;           // the implicit task of a region's first thread
  bool part_has_ended = false;  // a worker's implicit task: it waits for the region's end
  bool discarded = false;
  // Of a detached task: whether its code has ended, or its event is fulfilled, first.
  enum first_end : int { neither, code, event };
  sync::atomic<int> ended_first{neither};

  ompt_data_t* parallel_data() const { return in ? &in->data : nullptr; }
};

struct thread_record {
  ompt_data_t data{};
  ompt_thread_t type = ompt_thread_initial;
  ompt_state_t state = ompt_state_overhead;
  ompt_wait_id_t wait_id = 0;
  task_record* current = nullptr;
  std::shared_ptr<parallel_record> begun;  // the region that it begins, until its part begins
  std::unique_ptr<task_record> initial;    // outside of any parallel region
  std::unique_ptr<task_record> part;       // of a worker: its implicit task
  int telling = 0;                         // callbacks that it is in
  bool end_is_told = false;
  bool yields = false;            // in taskyield
  bool next_is_sections = false;  // the combined region that it is about to begin
};

// The calling thread's; null: none. May be asked by a signal's handler.
thread_record* known_thread();

// The calling thread's record, with a current task; made if need be. Null if no tool is used, or if
// the tool's own code has come here from a callback. What a worker has left behind of a region that
// has ended is put in order first.
thread_record* observed();

// The same for what may happen after a worker's part of a region has ended: explicit tasks.
thread_record* observed_in_part();

// The same for a worker that begins its part: it may be new, and has no task yet.
thread_record* observed_worker();

// Tells the tool of the end of a worker's last implicit task, if it has not been told.
void leave_last_part(thread_record& me);

// Tells it that the calling thread ends, as far as the tool knows it.
void end_this_thread();

// Whether the task is in a region with more than one thread: what its thread's state is.
ompt_state_t working_state(const task_record& t);

}  // namespace doall::omp::ompt
