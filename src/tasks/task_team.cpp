#include "tasks/task_team.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "base/fork.hpp"
#include "tasks/task_run.hpp"

namespace doall::tasks {
namespace {

// What is not in use. Held for a few instructions.
constinit base::lone_mutex free_lists;
constinit task_team* free_teams = nullptr;
[[maybe_unused]] const int forks_wait = base::free_in_children<free_lists>();

std::uintptr_t as_item(task* t) { return reinterpret_cast<std::uintptr_t>(t); }
task* as_task(std::uintptr_t item) { return reinterpret_cast<task*>(item); }

}  // namespace

task_team* task_team::find(team_host& host) {
  task_team* team = nullptr;
  {
    const std::lock_guard locked(free_lists);
    if (free_teams != nullptr) team = std::exchange(free_teams, free_teams->next_free);
  }
  if (team == nullptr) team = new task_team;
  team->in = &host;
  return team;
}

void task_team::give_back(task_team* team) {
  const std::lock_guard locked(free_lists);
  team->next_free = free_teams;
  free_teams = team;
}

void task_team::free_all() {
  while (task_team* const team = free_teams) {
    free_teams = team->next_free;
    delete team;
  }
}

void task_team::resize(std::uint32_t members) {
  for (; (1U << rows_) - 1 < members; ++rows_) {
    const std::uint32_t length = 1U << rows_;
    places_[rows_] = std::make_unique<place[]>(length);
    for (std::uint32_t i = 0; i < length; ++i) {
      place& p = places_[rows_][i];
      p.of = this;
      p.index = length - 1 + i;
      p.self.of = this;
      p.self.index = p.self.victim = p.index;
      p.self.root.kind = task_kind::root;
      p.self.root.runner = &p.self;
      // (50) relaxed; alone: (9) publishes it
      p.self.root.root.store(&p.self.root, sync::relaxed);
      p.self.root.children.reset();
    }
  }
  // (9) release; pairs with task_team (8): idle workers of an earlier region may look at any time
  size_.store(members, sync::release);
}

// Waiting threads look for tasks from now on, and one of them that may take this one, but not `me`.
template <class MayTake>
void task_team::tell_of(const member* me, MayTake may_take) {
  task_barrier::tell(
      open_, sleepers_, [&] { in->wake_barrier(); }, [&] { call_sleeper(me, may_take); });
}

bool task_team::push(member& me, task* t) {
  base::tsan_gives(t);
  if (!me.mine().push(as_item(t))) return false;
  tell_of(&me, [&](const task* within) { return descends_from(t, within); });
  return true;
}

void task_team::enqueue(task* t) {
  base::tsan_gives(t);
  // (49) relaxed; alone: the caller has acquired what the task's maker wrote
  task* const parent = t->parent.load(sync::relaxed);
  queue_lock_.lock(0);
  queue_.add(t, parent, priority_of(t));
  note_queued(parent);
  // (12) relaxed; alone: a hint; the lock decides, and tell_of() has a fence
  queued_.fetch_add(1, sync::relaxed);
  // Under the lock: who takes the task may end the region.
  tell_of(nullptr, [&](const task* within) { return descends_from(t, within); });
  queue_lock_.unlock();
}

// Those above a task that is noted are, too: so each task is passed once in its life. Under the
// lock.
void task_team::note_queued(task* t) {
  // (51) relaxed; alone: as (12)
  while (t != nullptr && !t->has_queued.load(sync::relaxed)) {
    // (52) relaxed; alone: as (12)
    t->has_queued.store(true, sync::relaxed);
    // (53) relaxed; alone: as (49)
    t = t->parent.load(sync::relaxed);
  }
}

// Spares a thread the lock if no descendant of the task that waits has been queued.
bool task_team::may_have_queued(const task* within) const {
  // (15) relaxed; alone: a hint; a thread that goes to sleep has had a fence
  if (queued_.load(sync::relaxed) == 0) [[likely]]
    return false;
  // (16) relaxed; alone: as (15)
  return within == nullptr || within->has_queued.load(sync::relaxed);
}

task* task_team::take_queued(const task* within) {
  queue_lock_.lock(0);
  task* const found = queue_.take(within);
  // (13) relaxed; alone: as (12)
  if (found != nullptr) queued_.fetch_sub(1, sync::relaxed);
  queue_lock_.unlock();
  return found;
}

task* task_team::take(member& me, std::int64_t floor, const task* within) {
  if (may_have_queued(within)) [[unlikely]] {
    if (task* const t = take_queued(within)) return t;
  }
  std::uintptr_t item = 0;
  if (me.mine().position() > floor) {
    const bool is_mine = me.mine().pop(item);
    me.unstolen = is_mine ? me.unstolen + 1 : 0;
    if (is_mine) return as_task(item);
  }
  task* const t = steal(me, within);
  if (t == nullptr && keeps_back(me)) [[unlikely]] {
    open_events::queue_all(me.mine(), me.as_victim(),
                           [this](std::uintptr_t shared) { enqueue(as_task(shared)); });
  }
  return t;
}

// Whether a thread that waits has tasks in its deque though a detached task is not finished.
bool task_team::keeps_back(member& me) const { return events_.any() && !me.mine().is_empty(); }

// Where threads share a CPU a task that stays on it is cheap to steal, too.
bool task_team::rests(member& me) const {
  return me.pace.rests(base::now_ns) && park::may_rest(in->spin());
}

task* task_team::steal(member& me, const task* within) {
  const std::uint32_t members = size();
  std::uint32_t from = me.victim;
  std::uint64_t left_until_ns = 0;
  if (rests(me)) [[unlikely]] {
    park::rest_awake();
    return nullptr;
  }
  for (std::uint32_t tried = 0; tried < members; ++tried, ++from) {
    if (from >= members) from = 0;
    member* const m = &member_of(from);
    if (m == &me || m->as_victim().looks_empty()) continue;
    std::uintptr_t item = 0;
    const auto wants = [&](std::uintptr_t seen) {
      if (!descends_from(as_task(seen), within)) return false;
      const std::uint64_t until_ns = left_to_owner_until(as_task(seen));
      if (until_ns != 0) left_until_ns = until_ns;
      return until_ns == 0;
    };
    if (m->as_victim().steal(item, wants) != deque::theft::done) continue;
    me.victim = from;
    return me.stolen = as_task(item);
  }
  if (left_until_ns != 0) {
    me.pace.rest_until(left_until_ns);
    park::rest_awake();
  }
  return nullptr;
}

bool task_team::may_take(member* me, std::int64_t floor, const task* within) {
  if (may_have_queued(within)) {
    if (within == nullptr) return true;
    queue_lock_.lock(0);
    const bool any = queue_.has(within);
    queue_lock_.unlock();
    if (any) return true;
  }
  if (me != nullptr && me->mine().position() > floor && !me->mine().is_empty()) return true;
  if (me != nullptr && keeps_back(*me)) [[unlikely]]
    return true;
  // It looks at no deque meanwhile: the owner's next push would miss its cache.
  if (me != nullptr && rests(*me)) return true;
  const std::uint32_t members = size();
  for (std::uint32_t i = 0; i < members; ++i) {
    member* const m = &member_of(i);
    if (m == me || m->as_victim().looks_empty()) continue;
    if (within == nullptr) return true;
    bool found = false;
    std::uintptr_t item = 0;
    m->as_victim().steal(item, [&](std::uintptr_t seen) {
      found = descends_from(as_task(seen), within);
      return false;
    });
    if (found) return true;
  }
  return false;
}

void task_team::get_up(member& me, park::gate& at) {
  if (sleepers_.get_up(me.sleeping, at)) call_for_any();
}

// Step (i) of sleepers.hpp.
void task_team::call_for_any() {
  // (39) relaxed; alone: the fence in get_up() orders it
  if (queued_.load(sync::relaxed) != 0) {
    queue_lock_.lock(0);
    const bool done = call_sleeper(nullptr, [&](const task* within) { return queue_.has(within); });
    queue_lock_.unlock();
    if (done) return;
  }
  const std::uint32_t members = size();
  for (std::uint32_t i = 0; i < members; ++i) {
    member* const m = &member_of(i);
    if (m->as_victim().looks_empty()) continue;
    bool done = false;
    std::uintptr_t item = 0;
    m->as_victim().steal(item, [&](std::uintptr_t seen) {
      done = call_sleeper(nullptr,
                          [&](const task* within) { return descends_from(as_task(seen), within); });
      return false;
    });
    if (done) return;
  }
}

// Returns whether a thread is on its way.
template <class MayTake>
bool task_team::call_sleeper(const member* but, MayTake may_take) {
  const auto sleeper_at = [&](std::uint32_t i) -> sleeper* {
    member* const m = &member_of(i);
    return m == but ? nullptr : &m->sleeping;
  };
  return sleepers_.call(size(), sleeper_at, may_take);
}

void task_team::wake_members() {
  for (std::uint32_t i = 0; i < size(); ++i) member_of(i).bed.open();
}

void task_team::forget_after_fork() {
  if (queue_lock_.try_lock()) {
    queue_lock_.unlock();
    return;
  }
  // A thread that does not exist was changing the queue.
  new (&queue_lock_) park::futex_lock;
  new (&queue_) decltype(queue_);
  // (48) relaxed; alone: there is no other thread
  queued_.store(0, sync::relaxed);
}

// A helper that rests is awake, looks at no deque, and is outside of the region, whose end would
// wait for it.
bool place::wanted(std::uint32_t round) {
  return of->open_.has_tasks_of(round) &&
         (of->rests(of->member_of(index)) || of->may_take(nullptr, 0, nullptr));
}

void place::help(std::uint32_t round) {
  if (of->rests(of->member_of(index))) return park::rest_awake();
  if (!of->open_.enter(round)) return;
  of->in->help(index);
  of->open_.exit();
}

bool place::lie_down(std::uint32_t round, park::gate& at) {
  return of->sleepers_.lie_down(of->member_of(index).sleeping, nullptr, at,
                                [&] { return of->round() == round; });
}

bool place::is_called(std::uint32_t round, park::gate& at) {
  return sleepers::was_called(of->member_of(index).sleeping, at) || wanted(round);
}

void place::get_up(park::gate& at) { of->get_up(of->member_of(index), at); }

}  // namespace doall::tasks
