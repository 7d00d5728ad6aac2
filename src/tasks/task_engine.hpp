// Explicit tasks: what every ABI's entry points call. An ABI translates its flags, its lists of
// dependences and its descriptors to these; nothing here knows a compiler.
//
// All functions are called by the thread that `me` belongs to, in the code of its current task,
// unless they say otherwise. Barriers run tasks by themselves, and so does the end of a region.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "tasks/executor.hpp"

namespace doall::tasks {

// The descriptor of a task (task.hpp). Its payload lies behind it, or apart if it is large.
struct task;

// A task's code. It is called once, with the task's payload, and must not throw.
using task_function = void (*)(void* payload);

enum class dependence_kind : std::uint8_t { in, out, mutexinoutset, inoutset };  // inout is out

// One item of a depend clause. A null address with `out` is omp_all_memory.
struct dependence {
  void* address;
  dependence_kind kind;
};
using dependences = std::span<const dependence>;

struct task_options {
  bool deferrable = true;  // the if clause; false: the encountering thread executes it immediately
  bool is_final = false;   // the final clause holds: it and its descendants are included tasks
  bool detached = false;   // it is complete only when its event is fulfilled too
  bool must_run = false;   // its function is called even if it is discarded, to destroy its payload
  std::int32_t priority = 0;
};

// Makes a task that no other thread sees yet. It becomes a child of the task that submits it. Any
// thread may execute it, and frees it. O(1), from memory of the calling thread.
task* make_task(executor& me, task_function function, std::size_t bytes, std::size_t alignment,
                const task_options& how);

// The same without options, for a payload that needs no wider alignment than a pointer's.
task* make_task(executor& me, task_function function, std::size_t bytes);

// For an ABI that learns the priority later; before the hand-over. A task has one only if the ICV
// max-task-priority permits it: counted_priority() of the clause's value.
void set_priority(task* t, std::int32_t priority);
std::int32_t counted_priority(std::int32_t priority);

// Where the task's data are: `bytes`, aligned as asked.
void* payload_of(task* t);

// Whether a task made now would be executed immediately whatever its if clause says: in a final
// task. (The engine also executes tasks immediately when it has enough to share.)
bool is_included(const executor& me);

// Whether a task made now is to be left out, for the current group or the region is cancelled.
bool is_discarded(const executor& me);

// Hands a made task over. It is executed when its dependences are met: later and by any thread of
// the team, or before this returns. The payload must be complete.
void submit_task(executor& me, task* t, dependences on = {});

// The same in two steps: counts a made task among the children of the current one, and hands it
// over. The second is called by any thread of the team, before or after what was given in between.
void expect_task(executor& me, task* t);
void hand_over_expected(executor& me, task* t);

// A task that is never deferred and needs no payload of its own: calls function(data) here. Its
// dependences are met.
void run_undeferred(executor& me, task_function function, void* data, bool is_final);

// The same for one that might have been deferred, where is_executed_immediately().
void run_immediately(executor& me, task_function function, void* data, bool is_final);

// The same for a made task. Its dependences are met.
void run_undeferred(executor& me, task* t);

// For a run of tasks with one code, which are executed undeferred, one after the other, and share a
// made task: some(me, t, of) executes as many as find it as it was made, at least one.
void run_each(executor& me, task* t, void (*some)(executor& me, task* t, void* of), void* of);

// The same for code that is called by the caller: begin, the task's code, end. The event of a
// detached task is waited for at the end.
void begin_undeferred(executor& me, task* t);
void end_undeferred(executor& me, task* t);

// Whether the task has a detach clause's event, and the event; valid until it is fulfilled and the
// task is complete. fulfill() is called by any thread, once for each event.
void* event_of(task* t);
void fulfill(void* event);

// taskwait: until all children of the current task are finished; their own may go on.
void wait_for_children(executor& me);

// taskwait with depend clauses: until the children that these depend on are finished. A tool that
// gave a record for the wait is told which these are.
void wait_for_dependences(executor& me, dependences on, std::shared_ptr<void> record = nullptr);

// taskwait with depend clauses and nowait: an empty task, for later ones to depend on. Does not
// wait.
void submit_empty(executor& me, dependences on);
void empty_task(void* payload);  // its code

// taskyield: may execute another task.
void yield_task(executor& me);

// taskgroup. The end waits for all tasks made since the beginning, and their descendants.
// `reductions`: task_group has it.
void begin_group(executor& me, std::uintptr_t* reductions);
void end_group(executor& me);

// taskloop: `pieces` tasks that an ABI defines by a function that makes and executes one. They are
// children of the current task, created lazily: a thread that runs them gives half of what is left
// away when its deque is empty. If the taskloop's tasks were so short last time that to steal that
// half takes longer than to execute it, thieves leave it for a while.
struct task_pieces {
  // Writes the payload of piece number `piece` to `payload`, and executes it. Called by any thread;
  // `of` is copied by the engine.
  void (*run)(const void* of, std::uint64_t piece, void* payload) = nullptr;
  const void* of = nullptr;
  std::size_t of_bytes = 0;
  std::size_t bytes = 0;  // of a payload
  std::size_t alignment = 1;
  std::uint64_t pieces = 0;
  const void* code = nullptr;  // tells the taskloop from others
};
// For run(): copies what is usually a few words, without a call.
inline void copy_payload(void* to, const void* from, std::size_t bytes) {
  auto* const at = static_cast<std::byte*>(to);
  const auto* const source = static_cast<const std::byte*>(from);
  constexpr std::size_t word = sizeof(std::uint64_t);
  std::size_t done = 0;
  for (; done + 2 * word <= bytes; done += 2 * word)
    std::memcpy(at + done, source + done, 2 * word);
  if (done + word <= bytes) {
    std::memcpy(at + done, source + done, word);
    done += word;
  }
  for (; done < bytes; ++done) at[done] = source[done];
}
void submit_pieces(executor& me, const task_pieces& pieces, const task_options& how);

// Cancels the innermost taskgroup of the program's: its tasks that have not begun are discarded.
void cancel_group(executor& me);
// Whether a group that the task is in is cancelled.
bool is_group_cancelled(const executor& me);

// For a thread whose own part has ended: executes tasks of the team as long as there are any.
void execute_all(executor& me);

}  // namespace doall::tasks
