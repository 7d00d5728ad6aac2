// Tasks that are executed where they are made. Most of them need no descriptor, for the thread's
// state says all that is asked of them: they make no tasks and wait for none. Those that do get one
// then (describe_current()).
//
// State: an undescribed_task on the stack of the thread, which `undescribed` of its state points
// to. Inline, so that a door's entry point calls the task's code itself.
// Callers: the thread that makes the task.
// Cost: what the state says of the task around is put aside and back.
#pragma once

#include "tasks/task_run.hpp"
#include "tasks/watch.hpp"

namespace doall::tasks {

// The end of an undeferred task that has a descriptor by now; `node`: of the task around it.
void end_described(executor& me, const undescribed_task& its, task* node);

// Memory for a task with a usual payload, if there is some without a look further; else null. The
// payload needs no wider alignment than a pointer's.
inline task* make_ready_task(executor& me, task_function function, std::size_t bytes) {
  constexpr std::size_t usual = 2;  // sizes
  if (me.at == nullptr || bytes > task_memory::room_bytes[usual - 1]) [[unlikely]]
    return nullptr;
  task* const t = me.at->memory.take_ready(bytes > task_memory::room_bytes[0] ? 1 : 0);
  if (t == nullptr) [[unlikely]]
    return nullptr;
  t->is_final = me.in_final;
  t->must_run = false;
  t->home = me.at;
  t->function = function;
  return t;
}

// Gives back the memory of a made task that has nothing else; `me`: the calling thread's, or null.
inline void give_memory_back(member* me, task* t) {
  if (t->home == me) {
    me->memory.give(t);
  } else {
    t->home->memory.give_back(t);
  }
}

// What the thread's state says of the task around an undeferred one that begins without a
// descriptor.
struct put_aside {
  task* node;
  dependence_table* table;
  bool in_final;
};

// Outside of all tasks that is the root: a barrier waits for it if what begins leaves children
// behind.
inline put_aside set_aside(executor& me, undescribed_task& its) {
  put_aside around{me.node, me.table, me.in_final};
  its.outer = me.undescribed;
  its.around = around.node;
  if (its.around == nullptr) {
    its.around = its.outer != nullptr ? its.outer->around : (around.node = &member_of(me).root);
  }
  me.undescribed = &its;
  me.node = nullptr;
  me.table = nullptr;
  return around;
}

inline void take_up(executor& me, const undescribed_task& its, undescribed_task* outer,
                    const put_aside& around) {
  if (me.node == nullptr) [[likely]] {
    me.node = around.node;
  } else {
    end_described(me, its, around.node);
  }
  me.undescribed = outer;
  me.table = around.table;
  me.in_final = around.in_final;
  if (me.own != nullptr) [[unlikely]]
    me.own.reset();
}

// Calls code() as an undeferred task.
template <class Code>
[[gnu::always_inline]] inline void run_undescribed(executor& me, bool is_final, bool must_run,
                                                   const Code& code) {
  undescribed_task its;
  // In registers: what is read back from memory delays the next task.
  const put_aside around = set_aside(me, its);
  undescribed_task* const outer = its.outer;
  if (is_final) me.in_final = true;
  const bool may_be_cancelled = me.group != nullptr || me.tasks_of->meeting.cancelled() != 0;
  if (!may_be_cancelled || must_run || !is_discarded(me)) [[likely]]
    code();
  take_up(me, its, outer, around);
}

// Whether a task that begins needs a descriptor from its beginning.
inline bool is_described(const executor& me) { return watch::is_on() || me.own != nullptr; }

// Whether a made task may be executed as one that begins without a descriptor: what was made holds
// the payload alone.
inline bool is_payload_alone(const executor& me, const task* t) {
  return t->extra == nullptr && !t->is_in_tree && !is_described(me);
}

inline void end_nest(executor& me) {
  member& m = *me.at;
  // Before the depth is 0: a nest that a pushed task begins leaves its own to this loop.
  const bool has_pushed = m.mine().position() > me.floor;
  if (has_pushed && m.immediate_depth == 1 && me.tasks_of->size() == 1) [[unlikely]]
    execute_own(me);
  --m.immediate_depth;
}

// Calls code() as a made task of which that holds, and frees it.
template <class Code>
[[gnu::always_inline]] inline void run_payload(executor& me, task* t, const Code& code) {
  ++me.at->immediate_depth;
  run_undescribed(me, t->is_final, t->must_run, code);
  end_nest(me);
  give_memory_back(me.at, t);
}

// For a made task, if that would be executed immediately and needs no descriptor: calls code(),
// which executes its code, frees it and returns true.
template <class Code>
[[gnu::always_inline]] inline bool run_made_immediately(executor& me, task* t, const Code& code) {
  if (!is_executed_immediately(me) || !is_payload_alone(me, t)) return false;
  run_payload(me, t, code);
  return true;
}

}  // namespace doall::tasks
