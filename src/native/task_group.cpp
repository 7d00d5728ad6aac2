// Groups of tasks (abi.h): what doall/detail/open_groups.hpp leaves to the runtime.
//
// A group is a stay (steal/open_group.hpp). For stealing, for joins, and for what a waiting thread
// may run, it is a loop.
//
// Tasks that the creator gives in no loop are offered as they are given. A thread that has stolen a
// task of the group may give the group more. They lie in its deque, where its stay with that task
// takes them back. Tasks given from anywhere else, such as a loop inside a task, are executed
// immediately.
#include <new>
#include <utility>

#include "base/tsan.hpp"
#include "doall/detail/open_groups.hpp"
#include "native/open_loops.hpp"
#include "native/sharing.hpp"
#include "steal/open_group.hpp"
#include "threads/pool.hpp"

using namespace doall;

namespace doall::native {
namespace {

// Whether this thread can push a task and take it back: it is in its stay with a task of the group.
// Called by threads other than the creator, and by the creator while it waits.
bool may_be_pushed(const doall_group& g, const stealer& me) {
  const steal::stay& in = *me.here.innermost;
  return in.kind == nullptr && in.loop == g.open.loop && me.here.loop == g.open.loop;
}

// Offers a task of the creator's. The group's tasks lie together at the end of the deque, where
// run_offered() takes them back: below those of another group that is waited for later they would
// wait for thieves.
bool offer_at_once(stealer& me, doall_group& g, doall_task* task) {
  if (me.current() != nullptr || me.watch.alone) return false;
  if (!me.own().is_empty() && me.own().last().loop != g.open.loop) return false;
  if (!push_part(me, {&steal::frame_of(g.open), steal::part_of(task)})) return false;
  g.offered += 1;
  return true;
}

// Runs the offered tasks that no thief has stolen. They are the last ones in this thread's deque:
// stays inside the group have ended, and a stay outside it pushes only into an empty deque.
void run_offered(stealer& me, doall_group& g) {
  steal::descriptor mine;
  while (g.offered != 0 && !me.own().is_empty() && me.own().last().loop == g.open.loop &&
         me.own().pop(mine)) {
    me.done.pops += 1;
    g.offered -= 1;
    detail::run_task_here(g, steal::task_of(mine.what));
  }
}

void wait_for_stolen(stealer& me, doall_group& g, steal::u64 stolen) {
  steal::frame& own = steal::frame_of(g.open);
  g.waiting = 1;
  // (4) acq_rel; pairs with stint (2): the tasks that have ended are visible
  if (own.left.fetch_add(stolen - steal::held, sync::acq_rel) != steal::held - stolen) {
    wait_for_thieves(me, own, pool::shared().busy_spin());
  }
  base::tsan_takes(&own);  // also where the thieves had ended before
  g.waiting = 0;
}

void start_workers_once(stealer& me, std::uint32_t threads) {
  begin_sharing(me);
  me.watch.alone = threads == 1;
  if (me.workers_asked >= threads) return;
  me.workers_asked = threads;
  pool::count_caller();
  const pool::lease started(threads);  // given back at once: its workers wait for work
}

// Whether a group that has a frame was begun in a loop. Of one that was not, which is waited for in
// another group's task, tasks that come later need the frame.
bool is_in_loop(const doall_group& g) {
  // (7) relaxed; alone: its own
  return steal::frame_of(g.open).parent.load(sync::relaxed) != nullptr;
}

void give_frame_back(stealer& me, doall_group& g) {
  steal::frame& own = steal::frame_of(g.open);
  // (1) relaxed; alone: its own
  g.open.loop = own.parent.load(sync::relaxed);
  me.frames.give(&own);
}

}  // namespace
}  // namespace doall::native

extern "C" {

void doall_group_begin(doall_group* group) {
  using namespace native;
  *group = {};
  stealer* const me = find_stealer();
  if (me == nullptr) return;
  group->open.kind = me->here.kind_of_groups;
  group->open.loop = me->current();
  if (me->current() == nullptr) {
    const std::uint32_t threads = doall_threads();
    if (!steal::give_frame(*me, *group, threads)) return;
    start_workers_once(*me, threads);
  }
  group->here = &me->here;
  steal::link(*me, group->open);
}

void doall_group_run(doall_group* group, doall_task* task) {
  using namespace native;
  stealer* const me = stealer_here();
  if (me == nullptr || &me->here != group->here || group->waiting != 0) {
    steal::frame& own = steal::frame_of(group->open);
    if (me != nullptr && may_be_pushed(*group, *me)) {
      // (2) relaxed; alone: the giving thread has a part of the loop
      own.left.fetch_add(1, sync::relaxed);
      if (push_part(*me, {&own, steal::part_of(task)})) return;
      // (3) relaxed; alone: as (2)
      own.left.fetch_sub(1, sync::relaxed);
    }
    const inside_loop nested(me, &own);
    return task->run(task);
  }
  if (!offer_at_once(*me, *group, task)) detail::list_task(*group, task);
}

void doall_group_wait(doall_group* group) {
  using namespace native;
  doall_group& g = *group;
  if (g.here == nullptr) return;  // there was no memory, so its tasks ran as they were given
  stealer* const owner = stealer_here();
  if (owner == nullptr) return;  // its thread has ended, and forgotten it
  stealer& me = *owner;
  while (g.open.end != 0 || g.offered != 0) {
    while (g.open.end != 0) {
      detail::run_task_here(g, detail::take_newest_task(g));
      detail::count_piece(g.here);
    }
    run_offered(me, g);
    if (g.open.end != 0) continue;
    const steal::u64 stolen = std::exchange(g.offered, 0);
    if (stolen == 0) break;  // so no other thread has given any
    steal::frame& own = steal::frame_of(g.open);
    // In the child of a fork the thieves do not exist; its own workers may have the next tasks.
    if (std::exchange(own.is_orphan, false)) {
      // (6) relaxed; alone: as (5)
      own.workers.store(own.fixed.get().workers, sync::relaxed);
    } else {
      wait_for_stolen(me, g, stolen);
    }
    // (5) relaxed; alone: before its next tasks, which the pushes publish
    own.left.store(steal::held, sync::relaxed);
  }
  if (steal::has_frame(g) && me.current() != nullptr && is_in_loop(g)) give_frame_back(me, g);
}

void doall_group_end(doall_group* group) {
  using namespace native;
  stealer* const owner = stealer_here();
  if (owner == nullptr) return;  // as there
  stealer& me = *owner;
  steal::unlink_group(me, *group);
  if (steal::has_frame(*group)) give_frame_back(me, *group);
  if (me.current() == nullptr && me.here.innermost == &me.here.outermost) me.withdraw();
}

}  // extern "C"
