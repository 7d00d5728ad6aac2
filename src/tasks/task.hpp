// The descriptor of a task, and how to tell whether one task descends from another.
//
// A `task` is a node of the tree of tasks. Its kinds: the root (one for each member of a team, in
// place of its implicit task), an explicit task, a taskgroup (between a task and those that it
// makes inside the group), and pieces of a taskloop. A node is kept until its whole branch is
// complete, so a node's ancestors are there as long as it is.
//
// A thief looks at a task before it takes it, when the node may already serve another task. So
// nodes lie in memory that stays mapped and always holds nodes (task_memory.hpp), and what a thief
// follows is atomic. What it reads may be a mixture; then its theft fails (src/deque/README.md).
#pragma once

#include <cstdint>
#include <memory>

#include "base/cache_line.hpp"
#include "base/clock.hpp"
#include "base/sync.hpp"
#include "tasks/ancestry.hpp"
#include "tasks/child_counts.hpp"
#include "tasks/task_engine.hpp"
#include "tasks/taskloop_times.hpp"

namespace doall::tasks {

struct member;
struct dependent;

enum class task_kind : std::uint8_t { root, explicit_, group, pieces };

// What few tasks have.
struct task_extra {
  std::shared_ptr<void> own;     // what its parent had changed (executor.hpp)
  dependent* depends = nullptr;  // dependences.hpp
  std::int32_t priority = 0;
  bool detached = false;
  // Of a detached task: its code's end and its event, whichever have not happened.
  sync::atomic<std::uint32_t> ends_missing{2};
  // There instead, if its code was discarded before the event came.
  static constexpr std::uint32_t discarded = 1U << 16;
  void* large_payload = nullptr;
  std::size_t large_alignment = 0;
  std::shared_ptr<void> record;  // a tool's
};

struct alignas(base::line_bytes) task {
  // written by its maker, read by thieves at any time
  sync::atomic<task*> parent{nullptr};
  sync::atomic<task*> root{nullptr};     // of its branch; of a root itself
  sync::atomic<task*> jump{nullptr};     // an ancestor further up, of a deep one (ancestry.hpp)
  sync::atomic<std::uint32_t> depth{0};  // of a root 0
  sync::atomic<bool> has_queued{false};  // descendants in the queue that all share, or had some

  std::uint8_t size_class = 0;
  member* home = nullptr;    // whose memory it is
  member* runner = nullptr;  // who runs it; children compare it
  task_function function = nullptr;
  void* payload = nullptr;
  task_group* group = nullptr;  // the innermost around it
  task_extra* extra = nullptr;  // null: nothing of that
  child_counts children;
  // In its memory's lists; of one that the compiler's code runs: what goes on, in its room.
  task* next = nullptr;
  // Thieves leave it until then, by base::now_ns(); 0: they do not. A hint, which they read like
  // `parent`. Its maker's thread takes it whenever it comes to it.
  sync::atomic<std::uint64_t> left_until_ns{0};
  task_kind kind = task_kind::explicit_;
  bool is_in_tree = false;  // else it is memory for a payload, so far (put_in_tree())
  bool is_final = false;
  bool must_run = false;
};
static_assert(sizeof(task) == 2 * base::line_bytes);

// Until when a thief leaves the task, from now on; 0: it does not.
inline std::uint64_t left_to_owner_until(const task* t) {
  // (4) relaxed; alone: a hint
  const std::uint64_t until_ns = t->left_until_ns.load(sync::relaxed);
  return until_ns != 0 && base::now_ns() < until_ns ? until_ns : 0;
}

inline task_extra& extra_of(task* t) {
  if (t->extra == nullptr) t->extra = new task_extra;
  return *t->extra;
}

inline std::int32_t priority_of(const task* t) {
  return t->extra != nullptr ? t->extra->priority : 0;
}

// The group that a node of that kind stands for.
inline task_group& group_in(const task* t) { return *static_cast<task_group*>(t->payload); }

// Whether `t` is a strict descendant of `of`; true if `of` is null, for all descend from nothing.
// A hint unless t is kept by the caller.
inline bool descends_from(const task* t, const task* of) {
  return of == nullptr || ancestry::descends(t, of);
}

}  // namespace doall::tasks
