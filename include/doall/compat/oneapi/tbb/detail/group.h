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
// An owner is known by a number that no other thread of the process gets, in this library or
// another one. An address would not do: in the child of a fork, where the owner does not exist, a
// new thread may get its addresses.
#ifndef DOALL_COMPAT_GROUP_H
#define DOALL_COMPAT_GROUP_H

#include "loop.h"
#include "thread_ends.h"

#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>

namespace tbb {
inline namespace doall_v0 {
namespace detail {

class open_tasks;

// A task as it lies in a group. run() executes it and frees it.
struct waiting_task : doall_task {
  open_tasks* of = nullptr;
  waiting_task* next = nullptr;
  bool is_dropped = false;
};

// Which groups' tasks this thread is in. One that is run directly, by a wait of another thread than
// the owner, or by run_and_wait(), is none of libdoall's group, which may be closed meanwhile.
struct running_task {
  const open_tasks* of;
  bool is_direct;
  const running_task* around;
};
[[gnu::visibility("hidden")]] inline thread_local const running_task* innermost_task = nullptr;

// The task that this thread is giving to libdoall.
[[gnu::visibility("hidden")]] inline thread_local const doall_task* being_given = nullptr;

// A group of libdoall's, and whose it is.
struct begun_group {
  // (15) relaxed; alone: only this thread writes its own number
  bool is_owner() const { return owner.load(std::memory_order_relaxed) / 2 == thread_number(); }

  // Twice the owner's number, and one more once the object is gone; 0: it is not begun.
  std::atomic<std::uint64_t> owner{0};
  static constexpr std::uint64_t left = 1;
  std::atomic<bool> owner_waits{false};
  // The owner's, from begin to close; `as` and `slots` also of the tasks, which have ended by then.
  doall_group group{};
  scope* in = nullptr;
  begun_group* next = nullptr;  // that was begun there
  std::optional<binding> as;
  held_slots slots;
};

// How many groups have been left to their owners by this library's objects: an estimate, since
// another library's code may close them.
[[gnu::visibility("hidden")]] inline std::atomic<std::int64_t> left_to_owners{0};

// A task is run by its giver's wait, not as one of libdoall's group: as what.
[[gnu::visibility("hidden")]] inline thread_local const binding* run_directly = nullptr;

// This thread ends, and gives this group's tasks back to their object.
[[gnu::visibility("hidden")]] inline thread_local const begun_group* handed_back = nullptr;

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
    // (1) acquire; pairs with (2): what the tasks did
    return outstanding_.load(std::memory_order_acquire) == 0;
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
  // Whether a task that libdoall executes is to be kept instead: it is only being given, or its
  // thread ends.
  bool is_to_be_kept(const doall_task* t) const {
    return being_given == t || handed_back == begun_;
  }

  // A task that is kept for later counts from the beginning.
  void expect(waiting_task& t) {
    t.of = this;
    // (3) relaxed; alone: the caller waits, or is a task that is counted
    outstanding_.fetch_add(1, std::memory_order_relaxed);
  }

  // The caller runs a task itself, and waits then.
  void begin_own() {
    // (12) relaxed; alone: as (3)
    outstanding_.fetch_add(1, std::memory_order_relaxed);
    // (13) relaxed; alone: as (7)
    begun_->owner_waits.store(true, std::memory_order_relaxed);
  }

  // Called by a task when it has ended.
  void end_one() {
    // (2) release; pairs with (1): what the task did
    outstanding_.fetch_sub(1, std::memory_order_release);
  }

  // Of a task that libdoall, or a wait, has called: asked once, as it begins. `arena`: in
  // which it was given, if any. Its giver may be gone, and have been in no part of the group.
  task_place as_task(const held_slots& arena) const {
    if (run_directly != nullptr) {
      const binding& algorithm = *std::exchange(run_directly, nullptr);
      return {algorithm, arena.get() != nullptr ? *arena.get() : arena_here(), true};
    }
    return {*begun_->as, arena.get() != nullptr ? *arena.get() : *begun_->slots.get(), false};
  }

  // Returns when all tasks have ended.
  void wait() {
    for (clock::time_point since{};;) {
      if (give_others()) since = {};
      if (begun_->is_owner()) {
        // (7) relaxed; alone: a hint for a message
        begun_->owner_waits.store(true, std::memory_order_relaxed);
        doall_group_wait(&begun_->group);
        static_cast<void>(begun_->as->is_cancelled());  // so that the context is
        if (begun_->in == &scope_here()) close(*begun_);
      }
      if (is_done()) {
        // (8) relaxed; alone: as (7)
        begun_->owner_waits.store(false, std::memory_order_relaxed);
        return;
      }
      // What is left runs on other threads, or lies with one that is about to wait.
      if (since == clock::time_point()) since = clock::now();
      // (9) relaxed; alone: as (7)
      const bool owner_is_away = begun_->owner.load(std::memory_order_relaxed) != 0 &&
                                 !begun_->owner_waits.load(std::memory_order_relaxed);
      if (owner_is_away && !begun_->is_owner() && clock::now() - since > patience())
        throw std::logic_error(
            "tbb::task_group (doall/compat): wait() by another thread than the one that gave the "
            "first task, while that one has not waited for 10 s; expected it to wait, too");
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
    wait();
    if (begun_->is_owner()) close(*begun_);
  }

  // Called at the end of a thread that began groups in no piece of an algorithm.
  static void end_with_thread(void*) {
    while (outermost.groups != nullptr) {
      begun_group& mine = *outermost.groups;
      handed_back = &mine;
      // (25) relaxed; alone: as (7)
      mine.owner_waits.store(true, std::memory_order_relaxed);
      doall_group_wait(&mine.group);
      handed_back = nullptr;
      close(mine);
    }
  }

 private:
  using clock = std::chrono::steady_clock;
  // A function, for at -O0 a variable would be visible, and keep a plugin from being unloaded.
  static constexpr std::chrono::seconds patience() { return std::chrono::seconds(10); }

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
      if (to == nullptr) {
        // (26) relaxed; alone: as (7)
        group.owner_waits.store(true, std::memory_order_relaxed);
        doall_group_wait(&group.group);
        close(group);
        continue;
      }
      from.groups = group.next;
      group.in = to;
      group.next = std::exchange(to->groups, &group);
      to->end_groups = end_all;
    }
  }

  // Closes the groups that were begun there whose objects are gone. So their tasks have ended, and
  // the wait is for what thieves have still to do with libdoall's group.
  static void close_left(scope& in) {
    // (21) relaxed; alone: as (20); one that is missed is closed next time
    if (left_to_owners.load(std::memory_order_relaxed) <= 0) return;
    for (begun_group* at = in.groups; at != nullptr;) {
      begun_group& group = *std::exchange(at, at->next);
      // (22) relaxed; alone: this thread closes it, and (6) orders what the object did before
      if ((group.owner.load(std::memory_order_relaxed) & begun_group::left) == 0) continue;
      doall_group_wait(&group.group);
      close(group);
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
    mine.slots = held_slots();
    // (11) relaxed; alone: as (7)
    mine.owner_waits.store(false, std::memory_order_relaxed);
    // (6) acq_rel; pairs with (5), (16), (17): the group has ended; from here on it is the object's
    if ((mine.owner.exchange(0, std::memory_order_acq_rel) & begun_group::left) == 0) return;
    delete &mine;
    // (23) relaxed; alone: as (20)
    left_to_owners.fetch_sub(1, std::memory_order_relaxed);
  }

  // Gives tasks of other threads to the group. Whether there were any.
  bool give_others() {
    waiting_task* mine = nullptr;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      mine = std::exchange(others_, nullptr);
    }
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
  std::atomic<std::uint64_t> outstanding_{0};
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
    if (native != nullptr && native->loop != nullptr) return false;
    if (!ends_groups.call_at_end_of_this_thread()) return false;
  }
  std::uint64_t none = 0;
  // (5) acquire; pairs with (6): the group of the owner before
  if (!begun_->owner.compare_exchange_strong(none, 2 * thread_number(), std::memory_order_acquire,
                                             std::memory_order_relaxed))
    return false;
  close_left(in);
  begun_->as.emplace(context_);
  begun_->slots = held_slots(&arena_here());
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
