// Groups of tasks that any thread may use, over libdoall's, which belong to the thread and the
// stretch of its code in which they were begun.
//
// A group is begun by the thread that gives it the first task, and that thread's tasks, and those
// that they give, go straight to libdoall. They are closed by that thread: when it waits in the
// same stretch of code (piece of an algorithm, or task), and at the latest when that ends. Tasks
// of any other thread lie in a list until somebody waits. So do those that libdoall would execute
// while they are given: run() returns at once, for its caller may hold what the task waits for. And
// so do those that no thread has begun when the group's thread ends, which waits for the others.
//
// Who frees what. libdoall's group is linked among its thread's loops, and only that thread can
// unlink it. But any thread may be the last to use a task_group, and destroy it. So libdoall's
// group lies apart (begun_group), and has two users: the object, and its owner, the thread that
// began it, from begin to close. Who is the last frees it. An owner whose group's object is gone
// closes it as it begins another one in the same stretch of code (close_left), and at the latest
// when that ends. What an owner does with a begun_group touches nothing of the object, nor of the
// context that may be a part of it.
//
// Who destroys a group whose owner does not wait has some patience (leave()). Then it leaves tasks
// that no thread has begun to the owner, which frees them as they come: a task asks, before it
// touches the object, whether that is there (begin_one()).
//
// An owner is known by a number that no other thread of the process gets, in this library or
// another one. An address would not do: in the child of a fork, where the owner does not exist, a
// new thread may get its addresses.
#ifndef DOALL_COMPAT_GROUP_H
#define DOALL_COMPAT_GROUP_H

#include "begun_group.h"
#include "loop.h"
#include "patience.h"
#include "thread_ends.h"

#include <chrono>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

namespace tbb {
inline namespace doall_v0 {
namespace detail {

// As what a task runs.
struct task_place {
  const binding& algorithm;
  arena_slots& arena;
  bool is_direct;
};

class open_tasks {
 public:
  explicit open_tasks(task_group_context& context) : context_(context) {}
  ~open_tasks() {
    // (16) acquire; pairs with (6): nobody is to begin it any more
    if (begun_->owner.load(std::memory_order_acquire) == 0 ||
        // (17) acq_rel; pairs with (6): who is second frees it, after what the other one did
        begun_->owner.fetch_or(begun_group::left, std::memory_order_acq_rel) == 0) {
      delete begun_;
      return;
    }
    // (20) relaxed; alone: an estimate
    left_to_owners.fetch_add(1, std::memory_order_relaxed);
  }
  open_tasks(const open_tasks&) = delete;
  open_tasks& operator=(const open_tasks&) = delete;

  task_group_context& context() const { return context_; }
  bool is_done() const {
    // (1) acquire; pairs with (2), (3), (27): what the tasks did
    return begun_->counts.load(std::memory_order_acquire) == 0;
  }

  void give(waiting_task& t) {
    if (t.of == nullptr) expect(t);
    t.newer = t.older = nullptr;
    // Where there is one thread nobody could take it before a wait.
    if (!is_open_here() && (threads_here() == 1 || !may_open())) return keep(t);
    // A thief may run the task, and somebody destroy the object, before this returns. The owner
    // then still has its group; another caller is in a task of it, so the object stays.
    doall_group& to = begun_->group;
    const doall_task* const before = std::exchange(being_given, &t);
    doall_group_run(&to, &t);
    being_given = before;
  }

  // Until somebody waits.
  void keep(waiting_task& t) {
    const std::lock_guard<std::mutex> lock(mutex_);
    t.next = std::exchange(others_, &t);
  }

  // A task that is kept for later counts from the beginning.
  void expect(waiting_task& t) {
    t.of = this;
    t.counted = begun_;
    // (12) relaxed; alone: the caller waits, or is a task that is counted
    begun_->counts.fetch_add(1, std::memory_order_relaxed);
  }

  // Called first by a task that libdoall, or a wait, has called, before it touches its group.
  enum class turn { runs, is_kept, is_dropped };
  static turn begin_one(waiting_task& t) {
    begun_group& its = *t.counted;
    // (13) relaxed; alone: the object is there or is not, whatever it did
    if ((its.counts.fetch_add(begun_group::one_begun, std::memory_order_relaxed) &
         begun_group::gone) != 0)
      return turn::is_dropped;
    // It is only being given, or its thread ends.
    if (being_given != &t && handed_back != &its) return turn::runs;
    t.of->keep(t);
    // (3) release; pairs with (1), (31): the object's list is left
    its.counts.fetch_sub(begun_group::one_begun, std::memory_order_release);
    return turn::is_kept;
  }
  // Called by a task when it has ended.
  void end_one() {
    // (2) release; pairs with (1), (31): what the task did
    begun_->counts.fetch_sub(begun_group::one_begun + 1, std::memory_order_release);
  }
  // One that never begins is freed.
  void drop_one() {
    // (27) release; pairs with (1), (31): what its end did
    begun_->counts.fetch_sub(1, std::memory_order_release);
  }

  // The caller runs a task itself.
  void begin_own() {
    // (28) relaxed; alone: as (12)
    begun_->counts.fetch_add(begun_group::one_begun + 1, std::memory_order_relaxed);
  }

  // Of a task that libdoall, or a wait, has called: asked once, as it begins. `arena`: in
  // which it was given, if any. Its giver may be gone, and have been in no part of the group.
  task_place as_task(const held_slots& arena) const {
    if (run_directly != nullptr) {
      const binding& algorithm = *std::exchange(run_directly, nullptr);
      return {algorithm, arena.get() != nullptr ? *arena.get() : arena_here(), true};
    }
    return {*begun_->as, arena.get() != nullptr ? *arena.get() : *begun_->held.get(), false};
  }

  // Returns when all tasks have ended.
  void wait() {
    if (!try_to_wait()) throw_impatience();
  }
  // Returns when all tasks have ended. False: the owner does not wait for them, and patience is at
  // its end. It is not while one of them runs.
  bool try_to_wait() {
    for (clock::time_point since{};;) {
      if (give_others()) since = {};
      if (begun_->is_owner()) {
        wait_as_owner(*begun_);
        static_cast<void>(begun_->as->is_cancelled());  // so that the context is
        if (begun_->in == &scope_here()) close(*begun_);
      }
      if (is_done()) {
        // (8) relaxed; alone: as (7)
        begun_->owner_waits.store(false, std::memory_order_relaxed);
        return true;
      }
      // What is left runs on other threads, or lies with one that is about to wait.
      // (29) relaxed; alone: as (7)
      const bool some_run =
          begun_->counts.load(std::memory_order_relaxed) >= begun_group::one_begun;
      if (some_run || since == clock::time_point()) since = clock::now();
      // (9) relaxed; alone: as (7)
      const bool owner_is_away = begun_->owner.load(std::memory_order_relaxed) != 0 &&
                                 !begun_->owner_waits.load(std::memory_order_relaxed);
      if (owner_is_away && !begun_->is_owner() && clock::now() - since > patience()) return false;
      std::this_thread::yield();
    }
  }

  // After a wait: the context may be used again. Of several who wait one gets the exception.
  std::exception_ptr take_failure() {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::exception_ptr its = context_.failure();
    context_.reset();
    return its;
  }

  // Nobody will use it again.
  void finish() {
    while (!try_to_wait()) continue;
    if (begun_->is_owner()) close(*begun_);
  }
  // The same with an end to patience: false if tasks are left that will not run.
  bool finish_or_leave() {
    while (!try_to_wait())
      if (leave()) return false;
    finish();
    return true;
  }

  // Called at the end of a thread that began groups in no piece of an algorithm.
  static void end_with_thread(void*) {
    while (outermost.groups != nullptr) {
      begun_group& mine = *outermost.groups;
      handed_back = &mine;
      wait_as_owner(mine);
      handed_back = nullptr;
      close(mine);
    }
    has_ended_groups = true;
  }

 private:
  using clock = std::chrono::steady_clock;
  static void wait_as_owner(begun_group& mine) {
    // (7) relaxed; alone: a hint for a message
    mine.owner_waits.store(true, std::memory_order_relaxed);
    doall_group_wait(&mine.group);
  }

  // The object's end, while tasks lie with an owner that does not wait: they find it gone. False:
  // one has begun meanwhile, or all have ended.
  bool leave() {
    // (30) relaxed; alone: (13) comes before or after it, and if before it counts
    std::uint64_t now = begun_->counts.load(std::memory_order_relaxed);
    do {
      if (now == 0 || now >= begun_group::one_begun) return false;
      // (31) acquire; pairs with (2), (3), (27): what tasks did, also to the list
    } while (!begun_->counts.compare_exchange_weak(
        now, now | begun_group::gone, std::memory_order_acquire, std::memory_order_relaxed));
    for (waiting_task* mine = take_others(); mine != nullptr;) {
      waiting_task& t = *std::exchange(mine, mine->next);
      t.run(&t);
    }
    return true;
  }

  // This thread's group, or this thread is in one of its tasks, for which the owner waits.
  bool is_open_here() const {
    // (10) relaxed; alone: as (15); for a task of the group it does not change meanwhile
    const std::uint64_t owner = begun_->owner.load(std::memory_order_relaxed) / 2;
    if (owner == 0) return false;
    if (owner == thread_number()) return true;
    for (const running_task* t = innermost_task; t != nullptr; t = t->around)
      if (t->of == this) return !t->is_direct;
    return false;
  }

  bool may_open();

  static void end_all(scope& from, scope* to) {
    while (from.groups != nullptr) {
      begun_group& group = *from.groups;
      from.groups = group.next;  // what is freed in the wait may come here again
      if (to == nullptr) {
        wait_as_owner(group);
        close(group);
        continue;
      }
      group.in = to;
      group.next = std::exchange(to->groups, &group);
      to->end_groups = end_all;
    }
  }

  // Closes the groups that were begun there whose objects are gone. The wait is for what thieves
  // have still to do with libdoall's group; tasks that were left to this thread are freed in it,
  // and what they hold may come here again: so the group is in no list then, and the list is read
  // anew.
  static void close_left(scope& in) {
    // (21) relaxed; alone: as (20); one that is missed is closed next time
    if (left_to_owners.load(std::memory_order_relaxed) <= 0) return;
    for (begun_group** at = &in.groups; *at != nullptr;) {
      begun_group& group = **at;
      // (22) relaxed; alone: this thread closes it, and (6) orders what the object did before
      if ((group.owner.load(std::memory_order_relaxed) & begun_group::left) == 0) {
        at = &group.next;
        continue;
      }
      *at = group.next;
      wait_as_owner(group);
      close(group);
      at = &in.groups;
    }
  }

  // By the owner, after a wait. The object may be gone.
  static void close(begun_group& mine) {
    for (begun_group** at = &mine.in->groups; *at != nullptr; at = &(*at)->next) {
      if (*at != &mine) continue;
      *at = mine.next;
      break;
    }
    if (mine.group.here != nullptr) doall_group_end(&mine.group);  // else there was no memory
    mine.as.reset();
    mine.held = held_slots();
    // (11) relaxed; alone: as (7)
    mine.owner_waits.store(false, std::memory_order_relaxed);
    // (6) acq_rel; pairs with (5), (16), (17): the group has ended; from here on it is the object's
    if ((mine.owner.exchange(0, std::memory_order_acq_rel) & begun_group::left) == 0) return;
    delete &mine;
    // (23) relaxed; alone: as (20)
    left_to_owners.fetch_sub(1, std::memory_order_relaxed);
  }

  waiting_task* take_others() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(others_, nullptr);
  }

  // Gives tasks of other threads to the group. Whether there were any.
  bool give_others() {
    waiting_task* mine = take_others();
    if (mine == nullptr) return false;
    while (mine != nullptr) {
      waiting_task& t = *std::exchange(mine, mine->next);
      if (begun_->is_owner() || may_open()) {
        doall_group_run(&begun_->group, &t);
        continue;
      }
      // What is around the owner's group may end before this.
      const bound_here algorithm(context_);
      run_directly = &algorithm;
      t.run(&t);
      run_directly = nullptr;  // a task that is dropped does not take it
    }
    return true;
  }

  task_group_context& context_;
  begun_group* const begun_ = new begun_group;
  std::mutex mutex_;
  waiting_task* others_ = nullptr;
};

[[gnu::visibility("hidden")]] inline thread_ends ends_groups{open_tasks::end_with_thread};

// This thread becomes the owner, if there is none.
inline bool open_tasks::may_open() {
  scope& in = scope_here();
  if (here.algorithm == nullptr) {
    // An iteration of a native loop, which does not know of this, would end before the group.
    const doall_thread* const native = doall_thread_here();
    if (has_ended_groups || (native != nullptr && native->loop != nullptr)) return false;
    if (!ends_groups.call_at_end_of_this_thread()) return false;
  }
  // (32) relaxed; alone: (5) decides
  if (begun_->owner.load(std::memory_order_relaxed) != 0) return false;
  close_left(in);  // what is freed there may open this very group
  std::uint64_t none = 0;
  // (5) acquire; pairs with (6): the group of the owner before
  if (!begun_->owner.compare_exchange_strong(none, 2 * thread_number(), std::memory_order_acquire,
                                             std::memory_order_relaxed))
    return begun_->is_owner();
  begun_->as.emplace(context_);
  begun_->held = held_slots(&arena_here());
  const limited workers;
  doall_group_begin(&begun_->group);
  begun_->in = &in;
  begun_->next = std::exchange(in.groups, begun_);
  in.end_groups = end_all;
  return true;
}

// Runs f() in a task of that group, as that.
template <class Function>
void run_task(const open_tasks& of, const task_place& as, Function&& f) {
  const inside part(&as.algorithm, &as.arena);
  const running_task mine{&of, as.is_direct, innermost_task};
  innermost_task = &mine;
  try {
    if (as.algorithm.is_cancelled()) {
    } else if constexpr (std::is_invocable_v<const std::decay_t<Function>&>) {
      std::as_const(f)();  // as oneTBB calls it, if that can be
    } else {
      f();
    }
  } catch (...) {
    as.algorithm.context().keep_failure();
  }
  innermost_task = mine.around;
}

}  // namespace detail
}  // namespace doall_v0
}  // namespace tbb

#endif
