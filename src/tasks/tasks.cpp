// The task engine: who executes which task when, and how ends are reported.
//
// Length: every step of a task's life, from its making to its last child's report.
//
// A thread pushes the tasks that it makes onto its own deque, and takes the last one back when it
// waits; idle threads steal the oldest. Which task a thread may begin (OpenMP's Task Scheduling
// Constraint, 5.1, section 2.12.6): in a barrier, any of its team's; while a task waits (taskwait,
// the end of a taskgroup, dependences), only descendants of that task. Untied tasks are treated as
// tied ones. README.md argues that this ends.
//
// Own tasks need no look at their ancestors: a task remembers where the deque's bottom was when it
// began (`floor`). What lies above was made by it or by descendants, or became ready when one of
// these ended, and is a descendant, too.
//
// A task is executed immediately, on its maker's stack, in a final task, in a team of one, or when
// the deque is full. A chain of tasks, each made by the last, would need as much stack as it is
// long. So a task that is nested too deep is pushed, or goes to the queue that all share. In a team
// of one the first task of the nest executes what was pushed when it ends. The queue has the tasks
// with a priority, too; when it is full they are executed immediately.
//
// Cost of a deferred task that is not stolen: no locked instruction; one fence, in the pop.
#include "tasks/task_engine.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "tasks/dependences.hpp"
#include "tasks/immediate.hpp"

namespace doall::tasks {
namespace {

// If there are so many tasks in the queue that all share, up to so many are nested. Beyond, memory
// is the lesser evil: what is too deep is queued.
constexpr std::uint32_t queued_most = 4096;
constexpr std::uint32_t nested_most = 1024;

// A task that has made so many children which are not finished helps with them before it makes
// more, if it can.
constexpr std::uint32_t outstanding_most = 4096;

// What the thread's state is between the code of two tasks.
struct suspended {
  task* running;
  task* node;
  std::int64_t floor;
  dependence_table* table;
  task_group* group;
  bool in_final;
  undescribed_task* undescribed;
  std::shared_ptr<void> own;
};

suspended begin(executor& me, task* t) {
  task* const node = &node_of(me);  // first: it may change what is saved
  suspended before{me.running, node, me.floor, me.table, me.group, me.in_final, me.undescribed, {}};
  if (me.own != nullptr || (t->extra != nullptr && t->extra->own != nullptr)) [[unlikely]] {
    before.own = std::move(me.own);
    me.own = t->extra != nullptr ? t->extra->own : nullptr;
    me.own_is_shared = true;
  }
  t->runner = me.at;
  me.running = t;
  me.node = t;
  me.floor = me.at->mine().position();
  me.table = nullptr;
  me.group = t->group;
  me.in_final = t->is_final;
  me.undescribed = nullptr;
  return before;
}

void resume(executor& me, const suspended& before) {
  delete me.table;
  me.running = before.running;
  me.node = before.node;
  me.floor = before.floor;
  me.table = before.table;
  me.group = before.group;
  me.in_final = before.in_final;
  me.undescribed = before.undescribed;
  if (before.own != nullptr || me.own != nullptr) [[unlikely]] {
    me.own = before.own;
    me.own_is_shared = true;  // or may be
  }
}

// Makes it memory for a payload again (task_memory.hpp).
void take_out_of_tree(task* t) {
  t->kind = task_kind::explicit_;
  t->is_in_tree = false;
  t->payload = task_memory::room_of(t);
}

void free_task(member* me, task* t) {
  if (t->extra != nullptr) [[unlikely]] {
    ::operator delete(t->extra->large_payload, std::align_val_t{t->extra->large_alignment});
    delete std::exchange(t->extra, nullptr);
  }
  take_out_of_tree(t);
  give_memory_back(me, t);
}

// Called once for each task, when its code has ended and its event is fulfilled.
void release_dependents(executor* me, task* t) {
  if (t->extra != nullptr && t->extra->depends != nullptr) [[unlikely]]
    release(me, std::exchange(t->extra->depends, nullptr));
}

// What the parent is told as soon as the task is finished. Of a taskloop's ranges the last one to
// end tells it (task_pieces.cpp).
child_counts::count finished_of(const task* t) {
  return t->kind == task_kind::pieces ? 0 : child_counts::finished;
}

void end_detached(executor& me, task* t, bool is_deferred) {
  sync::atomic<std::uint32_t>& missing = t->extra->ends_missing;
  base::tsan_gives(t);
  // (1) acq_rel; pairs with (2): what the code did, and what was done before the event
  const bool is_last = missing.fetch_sub(1, sync::acq_rel) == 1;
  if (is_last) {
    base::tsan_takes(t);
    team_of(t)->drop_event();
    release_dependents(&me, t);
    // (3) relaxed; alone: as (5)
    report_end(me.at, t->parent.load(sync::relaxed), child_counts::finished);
  } else if (!is_deferred) {
    // (4) acquire; pairs with (2): what was done before the event
    run_until(me, tied_task_of(me), me.at->bed, [&] { return missing.load(sync::acquire) == 0; });
    base::tsan_takes(t);
  }
  // (5) relaxed; alone: this thread has acquired the task
  task* const parent = t->parent.load(sync::relaxed);
  base::tsan_gives(t);
  if (!t->children.leave()) return;
  base::tsan_takes(t);
  free_task(me.at, t);
  report_end(me.at, parent, child_counts::complete);
}

// The code of a discarded task does not run, so nobody may be there to fulfill its event. What
// waits for the task is told that it is complete, unless the event has come before. The descriptor
// stays for the event, which may still come: fulfill() frees it then.
void end_discarded(executor& me, task* t, bool is_deferred) {
  // First: from (15) on the event may free the task.
  dependent* const depends = std::exchange(t->extra->depends, nullptr);
  // (8) relaxed; alone: as (5)
  task* const parent = t->parent.load(sync::relaxed);
  base::tsan_gives(t);
  // (15) acq_rel; pairs with (2): what came before the event; or what frees the task comes later
  if (t->extra->ends_missing.exchange(task_extra::discarded, sync::acq_rel) == 1) {
    base::tsan_takes(t);
    t->extra->depends = depends;
    // (16) relaxed; alone: the event has come, and no other thread looks
    t->extra->ends_missing.store(1, sync::relaxed);
    end_detached(me, t, is_deferred);
    return;
  }
  me.tasks_of->drop_event();
  if (depends != nullptr) release(&me, depends);
  report_end(me.at, parent, child_counts::both);
}

// `ran`: false: the task was discarded.
void end(executor& me, task* t, bool is_deferred, bool ran = true) {
  if (t->extra != nullptr && t->extra->detached) [[unlikely]] {
    if (ran)
      end_detached(me, t, is_deferred);
    else
      end_discarded(me, t, is_deferred);
    return;
  }
  release_dependents(&me, t);
  // (6) relaxed; alone: this thread has acquired the task
  task* const parent = t->parent.load(sync::relaxed);
  child_counts::count what = finished_of(t) + child_counts::complete;
  if (!t->children.all_complete()) [[unlikely]] {
    // First that it is finished: when the last child has reported, the parent may be gone.
    const child_counts::count now = finished_of(t);
    if (now != 0) report_end(me.at, parent, now);
    base::tsan_gives(t);
    if (!t->children.leave()) return;
    what = child_counts::complete;
  }
  base::tsan_takes(t);
  free_task(me.at, t);
  report_end(me.at, parent, what);
}

// When the code of a stolen task begins: after its lines have come, which belongs to the theft.
std::uint64_t begin_stolen(member& m, task* t) {
  m.stolen = nullptr;
  // (20) acquire; alone: so that the clock is not read before it, where the processor keeps to
  // that: an estimate
  static_cast<void>(sync::atomic_ref(*static_cast<char*>(t->payload)).load(sync::acquire));
  return base::now_ns();
}

void learn_from_stolen(executor& me, std::uint64_t began_ns) {
  member& m = *me.at;
  const std::uint64_t now_ns = base::now_ns();
  const bool leaves_tasks = m.mine().position() > me.floor && !m.mine().is_empty();
  m.pace.learn(now_ns - began_ns, leaves_tasks, now_ns, m.of->size());
}

void run(executor& me, task* t, task_function function, void* data, bool is_deferred) {
  const suspended before = begin(me, t);
  watch::begins(me, t);
  const std::uint64_t stolen_ns = me.at->stolen == t ? begin_stolen(*me.at, t) : 0;
  const bool runs = !is_discarded(me, t);
  if (runs) {
    if (t->kind == task_kind::pieces) [[unlikely]]
      run_range(me, data);
    else
      function(data);
    if (stolen_ns != 0) [[unlikely]]
      learn_from_stolen(me, stolen_ns);
  }
  watch::ends(t);
  resume(me, before);
  end(me, t, is_deferred, runs);
}

void execute_immediately(executor& me, task* t) {
  ++me.at->immediate_depth;
  execute(me, t);
  end_nest(me);
}

// Memory for a descriptor and a payload.
[[gnu::always_inline]] inline task* take_memory(executor& me, std::uint8_t size_class) {
  member& m = member_of(me);
  task* const t = m.memory.take(size_class);
  t->is_final = me.in_final;
  t->must_run = false;
  t->home = &m;
  return t;
}

// Makes it a node, a child of `parent`.
void put_in_tree(executor& me, task* t, task& parent) {
  t->is_in_tree = true;
  ancestry::derive(*t, parent);
  t->group = me.group;
  // (17) relaxed; alone: as (7)
  t->has_queued.store(false, sync::relaxed);
  // (7) relaxed; alone: the hand-over publishes it
  t->left_until_ns.store(0, sync::relaxed);
  t->children.reset();
  if (me.own != nullptr) [[unlikely]] {
    extra_of(t).own = me.own;
    me.own_is_shared = true;
  }
  if (t->extra != nullptr && t->extra->detached) [[unlikely]]
    t->children.add(child_counts::complete);  // the event
}

task* make_node(executor& me, task& parent, task_kind kind) {
  task* const t = take_memory(me, 0);
  t->kind = kind;
  put_in_tree(me, t, parent);
  return t;
}

}  // namespace

void empty_task(void*) {}

// The end of an undeferred task that has a descriptor by now. The one around it, which does not go
// on meanwhile, is told only of one that leaves children behind.
void end_described(executor& me, const undescribed_task& its, task* node) {
  delete me.table;
  task* const t = me.node;
  me.running = its.running;
  me.node = node;
  me.floor = its.floor;
  me.group = its.group;
  if (t->extra == nullptr && t->children.all_complete()) {
    base::tsan_takes(t);
    take_out_of_tree(t);
    me.at->memory.give(t);
    return;
  }
  its.around->children.add();
  end(me, t, false);
}

// Until then the state says what the innermost task with a descriptor left there: the undeferred
// ones between have pushed nothing, and wait for what they have made themselves alone. So they need
// none.
task& describe_current(executor& me) {
  member& m = member_of(me);
  undescribed_task* const its = me.undescribed;
  if (its == nullptr) return *(me.node = &m.root);
  its->running = me.running;
  its->floor = me.floor;
  its->group = me.group;
  task* const own = make_node(me, *its->around, task_kind::explicit_);
  own->runner = &m;
  me.running = own;
  me.floor = m.mine().position();
  return *(me.node = own);
}

task* make_task(executor& me, task_function function, std::size_t bytes, std::size_t alignment,
                const task_options& how) {
  const std::uint8_t size_class = task_memory::class_for(bytes, alignment);
  const bool fits = size_class < task_memory::room_bytes.size();
  task* const t = take_memory(me, fits ? size_class : 0);
  t->function = function;
  t->is_final = me.in_final || how.is_final;
  t->must_run = how.must_run;
  if (!fits) [[unlikely]] {
    task_extra& extra = extra_of(t);
    extra.large_alignment = std::max(alignment, std::size_t{base::line_bytes});
    extra.large_payload = ::operator new(bytes, std::align_val_t{extra.large_alignment});
    t->payload = extra.large_payload;
  }
  set_priority(t, how.priority);
  if (how.detached) {
    extra_of(t).detached = true;
    me.tasks_of->add_event();
  }
  return t;
}

task* make_task(executor& me, task_function function, std::size_t bytes) {
  constexpr std::size_t usual = 2;  // sizes
  if (bytes > task_memory::room_bytes[usual - 1]) [[unlikely]]
    return make_task(me, function, bytes, alignof(void*), {});
  task* const t = take_memory(me, bytes > task_memory::room_bytes[0] ? 1 : 0);
  t->function = function;
  return t;
}

void set_priority(task* t, std::int32_t priority) {
  if (const std::int32_t counted = counted_priority(priority); counted != 0) [[unlikely]]
    extra_of(t).priority = counted;
}

std::int32_t counted_priority(std::int32_t priority) {
  if (priority <= 0) [[likely]]
    return 0;
  return std::min(priority, limits_of_tasks.priority_most());
}

task& put_in_tree(executor& me, task* t) {
  task& parent = node_of(me);
  if (!t->is_in_tree) put_in_tree(me, t, parent);
  return parent;
}

void* payload_of(task* t) { return t->payload; }

bool is_included(const executor& me) { return me.in_final; }

void hand_over(executor& me, task* t) {
  member& m = member_of(me);
  task_team& team = *me.tasks_of;
  if (is_executed_immediately(me)) {
    execute_immediately(me, t);
    return;
  }
  if (priority_of(t) == 0 && team.push(m, t)) return;
  if (team.queued() >= queued_most && m.immediate_depth < nested_most &&
      limits_of_tasks.throttles()) {
    execute_immediately(me, t);
  } else {
    team.enqueue(t);
  }
}

void submit_task(executor& me, task* t, dependences on) {
  if (on.empty() && run_made_immediately(me, t, [t] { t->function(t->payload); })) return;
  task& node = put_in_tree(me, t);
  watch::made(t, true, on);
  node.children.add();
  if (on.empty() && me.table == nullptr) [[likely]] {
    hand_over(me, t);
    return;
  }
  if (!on.empty()) {
    if (node.children.outstanding_finished() > outstanding_most) {
      while (task* const one = me.tasks_of->take(*me.at, me.floor, tied_task_of(me))) {
        execute(me, one);
        if (node.children.outstanding_finished() < outstanding_most / 2) break;
      }
    }
    if (!are_met_now(me, t, on)) return;
  }
  hand_over(me, t);
}

void expect_task(executor& me, task* t) {
  task& node = put_in_tree(me, t);
  watch::made(t, true);
  node.children.add();
}

// By the queue that all share: in the caller's deque it would lie among descendants of what the
// caller executes.
void hand_over_expected(executor& me, task* t) { me.tasks_of->enqueue(t); }

void submit_empty(executor& me, dependences on) {
  submit_task(me, make_task(me, empty_task, 0, 1, {}), on);
}

void run_undeferred(executor& me, task_function function, void* data, bool is_final) {
  if (!is_described(me)) [[likely]] {
    run_undescribed(me, is_final, false, [&] { function(data); });
    return;
  }
  task* const t = make_task(me, function, 0, 1, {.is_final = is_final});
  t->payload = data;
  run_undeferred(me, t);
}

void run_immediately(executor& me, task_function function, void* data, bool is_final) {
  ++me.at->immediate_depth;
  if (!is_described(me)) [[likely]]
    run_undescribed(me, is_final, false, [&] { function(data); });
  else
    run_undeferred(me, function, data, is_final);
  end_nest(me);
}

void run_undeferred(executor& me, task* t) {
  if (is_payload_alone(me, t)) {
    run_payload(me, t, [t] { t->function(t->payload); });
    return;
  }
  watch::made(t, false);
  put_in_tree(me, t).children.add();
  ++me.at->immediate_depth;
  run(me, t, t->function, t->payload, false);
  end_nest(me);
}

void run_each(executor& me, task* t, void (*some)(executor& me, task* t, void* of), void* of) {
  put_in_tree(me, t).children.add();
  ++me.at->immediate_depth;
  const suspended before = begin(me, t);
  some(me, t, of);
  resume(me, before);
  end(me, t, false);
  end_nest(me);
}

namespace {

// What begin_undeferred() leaves to end_undeferred().
struct begun_undescribed {
  undescribed_task its;
  put_aside around;
};

}  // namespace

void begin_undeferred(executor& me, task* t) {
  const bool needs_descriptor = t->extra != nullptr || is_described(me);
  t->next = me.at->memory.take(needs_descriptor ? 1 : 0);
  void* const room = task_memory::room_of(t->next);
  static_assert(sizeof(begun_undescribed) <= task_memory::room_bytes[0]);
  static_assert(sizeof(suspended) <= task_memory::room_bytes[1]);
  if (needs_descriptor) [[unlikely]] {
    put_in_tree(me, t).children.add();
    new (room) suspended(begin(me, t));
    watch::begins(me, t, watch::caller::program);
    return;
  }
  // As run_undeferred() does; what was made holds the payload alone.
  auto* const begun = new (room) begun_undescribed;
  begun->around = set_aside(me, begun->its);
  me.in_final = t->is_final;
}

void end_undeferred(executor& me, task* t) {
  void* const room = task_memory::room_of(t->next);
  if (me.undescribed == nullptr) [[unlikely]] {
    watch::ends(t);
    auto* const before = static_cast<suspended*>(room);
    resume(me, *before);
    before->~suspended();
    me.at->memory.give(t->next);
    end(me, t, false);
    return;
  }
  const auto* const begun = static_cast<const begun_undescribed*>(room);
  take_up(me, begun->its, begun->its.outer, begun->around);
  me.at->memory.give(t->next);
  free_task(me.at, t);
}

void execute(executor& me, task* t) {
  base::tsan_takes(t);
  run(me, t, t->function, t->payload, true);
}

// Where the current task gets its descriptor by that, its floor stays: it is at the end of a nest
// that it has begun, and outside of nests nothing is pushed in a team of one. So what lies above
// was made in the nest.
void execute_own(executor& me) {
  const std::int64_t floor = me.floor;
  static_cast<void>(node_of(me));
  me.floor = floor;
  std::uintptr_t item = 0;
  while (me.at->mine().position() > me.floor && me.at->mine().pop(item)) {
    execute(me, reinterpret_cast<task*>(item));
  }
}

void report_end(member* me, task* parent, child_counts::count what) {
  for (;;) {
    member* const runner = parent->runner;
    if (runner == me && parent->children.report_here(what)) return;
    base::tsan_gives(parent);
    if (!parent->children.report_away(what)) {
      runner->bed.open();
      return;
    }
    base::tsan_takes(parent);
    what = child_counts::complete;
    // (9) relaxed; alone: this thread has acquired what the parent's maker wrote
    task* const next = parent->parent.load(sync::relaxed);
    free_task(me, parent);
    parent = next;
  }
}

void* event_of(task* t) { return t; }

void fulfill(void* event) {
  auto* const t = static_cast<task*>(event);
  watch::fulfilled(t);
  base::tsan_gives(t);
  // (2) acq_rel; pairs with (1), (4), (15): as there
  const std::uint32_t missing = t->extra->ends_missing.fetch_sub(1, sync::acq_rel);
  if (missing == task_extra::discarded) {
    base::tsan_takes(t);
    free_task(nullptr, t);
    return;
  }
  if (missing == 1) {
    base::tsan_takes(t);
    team_of(t)->drop_event();
    release_dependents(nullptr, t);
    // (10) relaxed; alone: this thread has acquired the task
    report_end(nullptr, t->parent.load(sync::relaxed), child_counts::finished);
  }
  base::tsan_gives(t);
  if (!t->children.report_away(child_counts::complete)) return;
  base::tsan_takes(t);
  // (11) relaxed; alone: as (10)
  task* const parent = t->parent.load(sync::relaxed);
  free_task(nullptr, t);
  report_end(nullptr, parent, child_counts::complete);
}

void wait_for_children(executor& me) {
  if (me.node == nullptr) return;
  // (12) relaxed; alone: this thread has acquired it
  for (task* n = me.node;; n = n->parent.load(sync::relaxed)) {
    const auto finished = [n] { return n->children.all_finished(); };
    if (!finished()) run_until(me, tied_task_of(me), me.at->bed, finished);
    base::tsan_takes(n);
    // What is outside of a group is not added to before the group ends.
    if (n->kind != task_kind::group || std::exchange(group_in(n).outside_is_finished, true)) return;
  }
}

void yield_task(executor& me) {
  if (me.node == nullptr) return;
  if (task* const t = me.tasks_of->take(*me.at, me.floor, tied_task_of(me))) execute(me, t);
}

void begin_group(executor& me, std::uintptr_t* reductions) {
  task_group* const outer = me.group;
  task* const n = make_node(me, node_of(me), task_kind::group);
  n->runner = me.at;
  static_assert(sizeof(task_group) <= task_memory::room_bytes[0]);
  auto* const group = new (n->payload) task_group{outer, reductions, n, false, false};
  if (outer != nullptr) group->reduces = outer->of_llvm != nullptr ? outer : outer->reduces;
  me.node = n;
  me.group = group;
}

void end_group(executor& me) {
  task* const n = me.group->node;
  const auto complete = [n] { return n->children.all_complete(); };
  if (!complete()) run_until(me, tied_task_of(me), me.at->bed, complete);
  // (18) relaxed; alone: its tasks are complete, of which one has cancelled it
  if (me.group->cancelled.load(sync::relaxed)) [[unlikely]] {
    // (19) relaxed; alone: as (18)
    me.tasks_of->cancelled_groups.fetch_sub(1, sync::relaxed);
  }
  const bool is_left_behind = !complete() && me.tasks_of->in->is_alone();  // some child never ends
  base::tsan_takes(n);
  // (13) relaxed; alone: this thread wrote it
  me.node = n->parent.load(sync::relaxed);
  me.group = me.group->outer;
  if (!is_left_behind) free_task(me.at, n);
}

void complete_tasks(executor& me) {
  // (14) relaxed; alone: this thread has acquired it
  for (task* n = me.node;; n = n->parent.load(sync::relaxed)) {
    const auto complete = [n] { return n->children.all_complete(); };
    if (!complete()) run_until(me, nullptr, me.at->bed, complete);
    base::tsan_takes(n);
    if (n->kind == task_kind::root) break;
  }
  delete std::exchange(me.table, nullptr);
}

void execute_all(executor& me) {
  me.node = &member_of(me).root;
  while (!me.tasks_of->in->is_alone()) {
    if (task* const t = me.tasks_of->take(*me.at, me.floor, nullptr)) {
      execute(me, t);
    } else if (me.tasks_of->rests(*me.at) || !me.tasks_of->may_take(me.at, me.floor, nullptr)) {
      // What a thread that rests waits for may have come: the region's end, if it leads it, which
      // in turn waits until this one has left.
      break;
    }
  }
}

}  // namespace doall::tasks
