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

// Told to a task that is executed: what cancels it, and its group.
struct execution_data {
  task_group_context* context;
  open_tasks* group;
};

class small_object_allocator {
 public:
  template <class Type, class... Arguments>
  Type* new_object(Arguments&&... arguments) {
    return new (operator new(sizeof(Type), std::align_val_t(alignof(Type))))
        Type(std::forward<Arguments>(arguments)...);
  }
  template <class Type, class... Arguments>
  Type* new_object(execution_data&, Arguments&&... arguments) {
    return new_object<Type>(std::forward<Arguments>(arguments)...);
  }
  template <class Type>
  void delete_object(Type* object) {
    std::destroy_at(object);
    deallocate(object);
  }
  template <class Type>
  void deallocate(Type* memory) {
    operator delete(static_cast<void*>(memory), std::align_val_t(alignof(Type)));
  }
  template <class Type>
  void deallocate(Type* memory, const execution_data&) {
    deallocate(memory);
  }
};

// How many tasks are still to be waited for.
class wait_context {
 public:
  explicit wait_context(std::uint32_t count) : left_(count) {}
  void reserve(std::uint32_t more = 1) { left_.fetch_add(more, std::memory_order_relaxed); }
  void release(std::uint32_t fewer = 1) { left_.fetch_sub(fewer, std::memory_order_release); }
  bool continue_execution() const { return left_.load(std::memory_order_acquire) != 0; }

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
    const std::unique_ptr<spawned> own(static_cast<spawned*>(static_cast<waiting_task*>(self)));
    open_tasks& group = *own->of;
    {
      const inside part(&own->context, own->arena);
      const running_task mine{&group, innermost_task};
      innermost_task = &mine;
      execution_data data{&own->context, &group};
      execute_from(&own->its, data);  // that throw end the program, as the standard's do
      innermost_task = mine.around;
    }
    group.end_one();
  }

  task& its;
  task_group_context& context;
  arena_slots* arena = &arena_here();
};

// Called in a task.
inline void spawn(task& t, task_group_context& context) {
  auto* const group = const_cast<open_tasks*>(innermost_task->of);
  group->give(*new spawned(t, context));
}

// Executes t, and returns when it and all that it spawned have ended, and so the wait context is 0.
inline void execute_and_wait(task& t, task_group_context& context, wait_context&,
                             task_group_context&) {
  const bound_here bound(context);
  open_tasks group(context);
  group.give(*new spawned(t, context));
  group.finish();
}

}  // namespace d1
}  // namespace detail

namespace task {

inline task_group_context* current_context() { return detail::here.context; }

}  // namespace task
}  // namespace doall_v0
}  // namespace tbb

#endif
