// Groups of tasks as stays (stay.hpp): what doall/detail/open_groups.hpp leaves to the runtime.
//
// A group has no frame until it offers some of its tasks, unless it is outermost. An offered task
// is a part of one iteration, whose number is the task's address.
//
// Counting. The creator counts what it has offered and not taken back. Other threads that give or
// run tasks change the frame's `left`. It begins at `held`, so that it cannot come to 0 before the
// creator waits and adds what is outstanding.
#pragma once

#include "doall/detail/task_list.hpp"
#include "steal/stay.hpp"

namespace doall::steal {

inline constexpr u64 held = u64{1} << 62;

inline doall_group& group_of(stay& s) { return reinterpret_cast<doall_group&>(s); }

// False: there is no memory.
inline bool give_frame(worker_thread& me, doall_group& g, std::uint32_t workers) {
  frame* const made = me.frames.take();
  if (made == nullptr) return false;
  terms t{.starter = &me,
          .workers = workers,
          .how = &schedules::splitting_operations_of<schedules::lbs>,
          .body = me.here.kind_of_groups->body,
          .context = &g,
          .fp = base::fp_state::of_this_thread()};
  t.how->construct(t.rule, {.given = schedules::params::of(schedules::lbs::options{.ppt = 1})});
  begin_in(*made, static_cast<frame*>(g.open.loop), t);
  // (1) relaxed; alone: before its tasks, which the pushes publish
  made->left.store(held, sync::relaxed);
  g.open.loop = made;
  return true;
}

inline bool has_frame(const doall_group& g) {
  return g.open.loop != nullptr && frame_of(g.open).fixed.get().context == &g;
}

// Offers the older half of the tasks. Called when the deque is empty.
template <class Env>
bool offer_tasks(worker_thread& me, doall_group& g, Env& env) {
  constexpr u64 most = worker_thread::capacity / 4;
  if (!has_frame(g) && !give_frame(me, g, workers_of(static_cast<frame*>(g.open.loop))))
    return false;
  frame& own = frame_of(g.open);
  for (u64 n = std::min((g.open.end + 1) / 2, most); n != 0; --n) {
    const part one = part_of(detail::take_oldest_task(g));
    base::tsan_gives(&own);
    me.own().push({&own, one});  // there is room
    me.done.pushes += 1;
    g.offered += 1;
    if (n == 1) env.pushed(me, own, one);
  }
  return true;
}

// Unlinks a group, which may end before others that were begun after it in the same place.
inline void unlink_group(worker_thread& me, doall_group& g) {
  if (me.here.innermost == &g.open) return unlink(me, g.open);
  g.open.inside->around = g.open.around;
  g.open.around->inside = g.open.inside;
  if (me.here.outermost_open == &g.open) me.here.outermost_open = g.open.around;
}

}  // namespace doall::steal
