// Groups of tasks, as abi.h declares them: loops whose iterations are given one by one.
//
// A group is a loop's frame. A task is a part of one iteration, whose number is the task's
// address; it is counted in the frame's `left` when it is given, as the group itself is
// (steal/stint.hpp). So stealing, joins and what may be run while a thread waits are those of
// loops.
//
// A part must lie in a deque where somebody takes it back: the thread that began the group does
// that when it waits (with what it has given other groups meanwhile), and who runs a task of
// the group after that task. So a task that is given
// anywhere else, such as in a loop inside of a task, is run at once.
//
// Frames of groups may end in any order, so they are kept in a list of their own and not on
// their thread's stack of frames.
#include <mutex>
#include <new>
#include <utility>

#include "base/fork.hpp"
#include "base/unload.hpp"
#include "doall/abi.h"
#include "schedule/lbs.hpp"
#include "team/crew.hpp"
#include "team/native_sharing.hpp"

using namespace doall;

struct doall_group {
  steal::frame frame;
  team::stealer* creator = nullptr;
  steal::frame* around = nullptr;  // where it was begun
  std::int64_t below = 0;          // its creator's deque before its tasks
  void (*run)(void* task) = nullptr;
  doall_group* next = nullptr;  // that is free too
};

namespace doall::team {
namespace {

constinit std::mutex free_lock;
constinit doall_group* free_groups = nullptr;
const int forks_wait = base::free_in_children<free_lock>();
const base::at_unload free_all([] {
  while (free_groups != nullptr) delete std::exchange(free_groups, free_groups->next);
});

doall_group* take_group() {
  {
    const std::lock_guard locked(free_lock);
    if (free_groups != nullptr) return std::exchange(free_groups, free_groups->next);
  }
  return new (std::nothrow) doall_group;
}

int run_task(void* group, std::uint64_t task, std::uint64_t, std::uint64_t, std::uint32_t) {
  static_cast<doall_group*>(group)->run(reinterpret_cast<void*>(task));
  return 0;
}

// The group itself, as a part of its frame that its creator has.
void hold(doall_group& g) {
  // (1) relaxed; alone: before its tasks, which the pushes publish
  g.frame.left.store(1, sync::relaxed);
}

bool is_in_loop(const stealer* me) { return me != nullptr && me->current != nullptr; }

// Inside of a loop those that it may have.
std::uint32_t threads_for_tasks() {
  const stealer* const me = stealer_here();
  // (5) relaxed; alone: of a loop in which this thread is
  return is_in_loop(me) ? me->current->workers.load(sync::relaxed) : doall_threads();
}

bool may_be_pushed(const doall_group& g, const stealer* me) {
  if (me == nullptr) return false;
  return me->current == &g.frame || (me == g.creator && me->current == g.around);
}

}  // namespace
}  // namespace doall::team

extern "C" {

doall_group* doall_group_begin(void (*run)(void* task)) {
  using namespace team;
  const std::uint32_t threads = threads_for_tasks();
  if (threads == 1) return nullptr;
  if (!is_in_loop(stealer_here())) {
    const crew::lease started(threads);  // and given back: its workers wait for work
    crew::count_caller();
  }
  stealer* const me = find_stealer();
  doall_group* const g = me != nullptr ? take_group() : nullptr;
  if (g == nullptr) return nullptr;
  g->creator = me;
  me->groups += 1;
  g->around = me->current;
  g->below = me->own().position();
  g->run = run;
  steal::terms t{.workers = threads,
                 .how = &schedules::splitting_operations_of<schedules::lbs>,
                 .body = run_task,
                 .context = g,
                 .fp = base::fp_state::of_this_thread()};
  t.how->construct(t.rule, {.given = {.chunk = 1}});
  steal::set_up(&g->frame, *me, t);
  hold(*g);
  return g;
}

void doall_group_run(doall_group* group, void* task) {
  using namespace team;
  stealer* const me = stealer_here();
  const auto address = reinterpret_cast<std::uintptr_t>(task);
  const steal::part part{address, address + 1};
  if (may_be_pushed(*group, me)) {
    // (2) relaxed; alone: who gives it has a part of the loop, or holds the group
    group->frame.left.fetch_add(1, sync::relaxed);
    if (push_part(*me, {&group->frame, part})) return;
    // (3) relaxed; alone: as (2)
    group->frame.left.fetch_sub(1, sync::relaxed);
  }
  const inside_loop nested(me, &group->frame);
  group->run(task);
}

void doall_group_wait(doall_group* group) {
  using namespace team;
  stealer& me = *group->creator;
  work_back_to(me, group->below);
  // (4) acq_rel; pairs with stint (2): the tasks that have ended are visible
  if (group->frame.left.fetch_sub(1, sync::acq_rel) != 1) {
    wait_for_thieves(me, group->frame, crew::shared().busy_spin_ns());
  }
  hold(*group);
}

void doall_group_end(doall_group* group) {
  group->creator->groups -= 1;
  const std::lock_guard locked(team::free_lock);
  group->next = std::exchange(team::free_groups, group);
}

}  // extern "C"
