// What libstdc++'s parallel algorithms need of oneTBB's tasks for stable_sort, sort and merge: a
// task that makes others and becomes another one. No program's own interface (oneTBB's
// specification has none either): use task_group.
#ifndef DOALL_COMPAT_TASK_H
#define DOALL_COMPAT_TASK_H

#include "detail/context.h"
#include "detail/group.h"

#include <memory>
#include <new>
#include <utility>

namespace tbb {
inline namespace doall_v0 {
namespace detail {
namespace d1 {

class task;

// Memory of a task. It is kept until all tasks of its tree have ended, for GCC 12's libstdc++ does
// not free each.
struct alignas(64) task_memory {
  task_memory* next = nullptr;
};

// A task and all that follow from it.
class task_tree : public open_tasks {
 public:
  using open_tasks::open_tasks;
  ~task_tree() {
    // (1) acquire; pairs with (2): what was added
    task_memory* all = memory_.load(std::memory_order_acquire);
    while (all != nullptr) {
      task_memory* const one = all;
      all = all->next;
      operator delete(one, std::align_val_t(alignof(task_memory)));
    }
  }
  void keep(task_memory* one) {
    // (3) relaxed; alone: (2) compares it
    one->next = memory_.load(std::memory_order_relaxed);
    // (2) release; pairs with (1): what was added before
    while (!memory_.compare_exchange_weak(one->next, one, std::memory_order_release,
                                          std::memory_order_relaxed)) {
      continue;
    }
  }

 private:
  std::atomic<task_memory*> memory_{nullptr};
};

// Told to a task that is executed: what cancels it, and its tree.
struct execution_data {
  task_group_context* context;
  task_tree* tree;
};

class small_object_allocator {
 public:
  // A tree's first task, which execute_and_wait() gets.
  template <class Type, class... Arguments>
  Type* new_object(Arguments&&... arguments) {
    static_assert(alignof(Type) <= alignof(task_memory));
    auto* const memory = new (operator new(sizeof(task_memory) + sizeof(Type),
                                           std::align_val_t(alignof(task_memory)))) task_memory;
    return new (static_cast<void*>(memory + 1)) Type(std::forward<Arguments>(arguments)...);
  }
  template <class Type, class... Arguments>
  Type* new_object(execution_data& data, Arguments&&... arguments) {
    Type* const made = new_object<Type>(std::forward<Arguments>(arguments)...);
    data.tree->keep(memory_of(made));
    return made;
  }
  template <class Type>
  void deallocate(Type*, const execution_data&) {}

  template <class Type>
  static task_memory* memory_of(Type* object) {
    return static_cast<task_memory*>(static_cast<void*>(object)) - 1;
  }
};

// How many tasks are still to be waited for.
class wait_context {
 public:
  explicit wait_context(std::uint32_t count) : left_(count) {}
  void reserve(std::uint32_t more = 1) {
    // (4) relaxed; alone: the caller is counted itself
    left_.fetch_add(more, std::memory_order_relaxed);
  }
  void release(std::uint32_t fewer = 1) {
    // (5) release; pairs with (6): what the task did
    left_.fetch_sub(fewer, std::memory_order_release);
  }
  bool continue_execution() const {
    // (6) acquire; pairs with (5): what the tasks did
    return left_.load(std::memory_order_acquire) != 0;
  }

 private:
  std::atomic<std::uint64_t> left_;
};

// execute() returns the task that its thread is to execute next, or null. Who frees a task, and
// when, is the task's own affair: it may be gone when execute() returns.
class task {
 public:
  virtual ~task() = default;
  virtual task* execute(execution_data&) = 0;
  virtual task* cancel(execution_data&) = 0;
};

// Executes the task and all that follow from it.
inline void execute_from(task* first, execution_data& data) {
  while (first != nullptr) {
    first =
        data.context->is_group_execution_cancelled() ? first->cancel(data) : first->execute(data);
  }
}

struct spawned final : waiting_task {
  spawned(task& t, task_group_context& context_of) : its(t), context(context_of) { run = run_it; }
  static void run_it(doall_task* self) noexcept {
    auto* const given = static_cast<spawned*>(static_cast<waiting_task*>(self));
    const open_tasks::turn its = open_tasks::begin_one(*given);
    if (its == open_tasks::turn::is_kept) return;
    const std::unique_ptr<spawned> own(given);
    if (its == open_tasks::turn::is_dropped) return;
    auto& group = static_cast<task_tree&>(*given->of);
    {
      const task_place as = group.as_task(own->arena);
      const inside part(&as.algorithm, &as.arena);
      const running_task mine{&group, as.is_direct, innermost_task};
      innermost_task = &mine;
      execution_data data{&own->context, &group};
      execute_from(&own->its, data);  // that throw end the program, as the standard's do
      innermost_task = mine.around;
    }
    group.end_one();
  }

  task& its;
  task_group_context& context;
  held_slots arena = named_arena_here();
};

// Called in a task.
inline void spawn(task& t, task_group_context& context) {
  auto* const group = const_cast<open_tasks*>(innermost_task->of);
  group->give(*new spawned(t, context));
}

// Executes t, and returns when it and all that it spawned have ended, and so the wait context is 0.
inline void execute_and_wait(task& t, task_group_context& context, wait_context&,
                             task_group_context&) {
  const bound_here algorithm(context);
  task_tree group(context);
  group.keep(small_object_allocator::memory_of(&t));
  group.give(*new spawned(t, context));
  group.finish();
}

}  // namespace d1
}  // namespace detail

namespace task {

inline task_group_context* current_context() {
  return detail::here.algorithm != nullptr ? &detail::here.algorithm->context() : nullptr;
}

}  // namespace task
}  // namespace doall_v0
}  // namespace tbb

#endif
