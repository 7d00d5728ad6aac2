// GCC's entry points for tasks, taskgroups, their dependences and cancellation.
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "omp/cancellation.hpp"
#include "omp/gomp_tasks.hpp"
#include "omp/ompt/hooks.hpp"
#include "tasks/task_run.hpp"

namespace doall::omp {
namespace {

// The kinds in GCC's omp_depend_t.
dependence_kind kind_of(std::uintptr_t gcc) {
  switch (gcc) {
    case 1: return dependence_kind::in;
    case 4: return dependence_kind::mutexinoutset;
    case 5: return dependence_kind::inoutset;
    default: return dependence_kind::out;
  }
}

// A depend clause's items. GCC passes an array of words:
//   since GCC 9   0, items, of them out and inout, mutexinoutset, in; the addresses in that order,
//                 then pointers to omp_depend_t, which are an address and a kind
//   before        items, of them out and inout; the addresses
class item_list {
 public:
  explicit item_list(void** words) {
    if (words == nullptr) return;
    const auto number = [&](std::size_t i) { return reinterpret_cast<std::uintptr_t>(words[i]); };
    const bool is_new = number(0) == 0;
    const std::size_t all = is_new ? number(1) : number(0);
    const std::size_t outs = is_new ? number(2) : number(1);
    const std::size_t mutexes = is_new ? number(3) : 0;
    const std::size_t ins = is_new ? number(4) : all - outs;
    void** const address = words + (is_new ? 5 : 2);
    dependence* to = few_.data();
    if (all > few_.size()) {
      many_.resize(all);
      to = many_.data();
    }
    for (std::size_t i = 0; i < all; ++i) {
      if (i < outs) {
        to[i] = {address[i], dependence_kind::out};
      } else if (i < outs + mutexes) {
        to[i] = {address[i], dependence_kind::mutexinoutset};
      } else if (i < outs + mutexes + ins) {
        to[i] = {address[i], dependence_kind::in};
      } else {
        void** const object = static_cast<void**>(address[i]);
        to[i] = {object[0], kind_of(reinterpret_cast<std::uintptr_t>(object[1]))};
      }
    }
    items_ = {to, all};
  }
  item_list(const item_list&) = delete;
  item_list& operator=(const item_list&) = delete;

  operator dependences() const { return items_; }

 private:
  std::array<dependence, 8> few_;
  std::vector<dependence> many_;
  dependences items_;
};

// The event goes where the program's variable is, and where the compiler keeps the task's own.
void tell_event(task* t, void* data, void* program_variable) {
  void* const event = event_of(t);
  std::memcpy(program_variable, &event, sizeof event);
  if (data != nullptr) std::memcpy(data, &event, sizeof event);
}

}  // namespace

void fill_payload(task* t, void* data, task_copy_function copy, long bytes) {
  if (copy == nullptr) {
    if (bytes > 0) std::memcpy(payload_of(t), data, static_cast<std::size_t>(bytes));
    return;
  }
  copy(payload_of(t), data);
}

}  // namespace doall::omp

using namespace doall::omp;

namespace {

// As GOMP_task(), for tasks that may be deferred, or need more than a call. Apart, so that the
// others save few registers.
[[gnu::noinline]] void make_or_run(task_function function, void* data, task_copy_function copy,
                                   long bytes, long alignment, bool deferrable, unsigned flags,
                                   void** depend, int priority, void* event) {
  task_state& me = self();
  const task_options how{.deferrable = deferrable,
                         .is_final = (flags & task_final) != 0,
                         .detached = (flags & task_detach) != 0,
                         .must_run = copy != nullptr,
                         .priority = (flags & task_priority) != 0 ? priority : 0};
  // Before anything is copied. A detached task is made all the same: its event is the program's.
  if (how.must_run && !how.detached && is_discarded(me)) return;
  const item_list on((flags & task_depend) != 0 ? depend : nullptr);
  const bool undeferred = !deferrable || is_included(me);
  if (undeferred && dependences(on).size() != 0) wait_for_dependences(me, on);
  // The compiler makes `data` for this task alone: a task that is executed before this returns
  // needs no other copy, unless its code destroys what it gets.
  if (undeferred && copy == nullptr && !how.detached) {
    run_undeferred(me, function, data, how.is_final);
    return;
  }
  task* const t = make_task(me, function, static_cast<std::size_t>(bytes),
                            static_cast<std::size_t>(std::max(alignment, 1L)), how);
  if (how.detached) tell_event(t, data, event);
  fill_payload(t, data, copy, bytes);
  if (!undeferred) {
    submit_task(me, t, on);
    return;
  }
  run_undeferred(me, t);
}

}  // namespace

extern "C" {

void GOMP_task(task_function function, void* data, task_copy_function copy, long bytes,
               long alignment, bool deferrable, unsigned flags, void** depend, int priority,
               void* event) {
  const bool is_a_call = copy == nullptr && (flags & (task_depend | task_detach)) == 0;
  if (is_a_call) {
    task_state& me = self();
    const bool is_final = (flags & task_final) != 0;
    if (!deferrable || me.in_final) {
      run_undeferred(me, function, data, is_final);
      return;
    }
    if (is_executed_immediately(me)) {
      run_immediately(me, function, data, is_final);
      return;
    }
  }
  make_or_run(function, data, copy, bytes, alignment, deferrable, flags, depend, priority, event);
}

void GOMP_taskwait(void) { ompt::taskwait(); }
void GOMP_taskwait_depend(void** depend) { ompt::taskwait(item_list(depend)); }
void GOMP_taskyield(void) { ompt::taskyield(self()); }
void GOMP_taskwait_depend_nowait(void** depend) { submit_empty(self(), item_list(depend)); }

void GOMP_taskgroup_start(void) { ompt::group_begins(self()); }
void GOMP_taskgroup_end(void) { ompt::group_ends(self()); }

void omp_fulfill_event(std::uintptr_t event) { fulfill(reinterpret_cast<void*>(event)); }

bool GOMP_cancel(int construct, bool if_clause) {
  const cancelled_construct what{construct};
  return if_clause ? cancel(self(), what)
                   : ompt::found_cancelled(construct, is_cancelled(self(), what));
}
bool GOMP_cancellation_point(int construct) {
  return ompt::found_cancelled(construct, is_cancelled(self(), cancelled_construct{construct}));
}

}  // extern "C"
