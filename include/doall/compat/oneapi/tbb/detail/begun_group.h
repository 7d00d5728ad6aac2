// What a group of tasks (group.h) shares with libdoall's, with its tasks, and with its owner: it
// outlives the object.
#ifndef DOALL_COMPAT_BEGUN_GROUP_H
#define DOALL_COMPAT_BEGUN_GROUP_H

#include "arena.h"
#include "context.h"
#include "thread_ends.h"

#include <atomic>
#include <cstdint>
#include <optional>

namespace tbb {
inline namespace doall_v0 {
namespace detail {

class open_tasks;
struct begun_group;

// A task as it lies in a group. run() executes it and frees it.
struct waiting_task : doall_task {
  open_tasks* of = nullptr;        // there once the task has begun
  begun_group* counted = nullptr;  // its part that counts the task
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

// A group of libdoall's, whose it is, and how many tasks there are.
struct begun_group {
  // (15) relaxed; alone: only this thread writes its own number
  bool is_owner() const { return owner.load(std::memory_order_relaxed) / 2 == thread_number(); }

  // Twice the owner's number, and one more once the object is gone; 0: it is not begun.
  std::atomic<std::uint64_t> owner{0};
  static constexpr std::uint64_t left = 1;
  std::atomic<bool> owner_waits{false};

  // Tasks that have not ended; those of them that have begun, each as one_begun; and `gone`.
  std::atomic<std::uint64_t> counts{0};
  static constexpr std::uint64_t one_begun = std::uint64_t{1} << 32;
  static constexpr std::uint64_t gone = std::uint64_t{1} << 63;

  // The owner's, from begin to close; `as` and `slots` also of the tasks, which have ended by then.
  doall_group group{};
  scope* in = nullptr;
  begun_group* next = nullptr;  // that was begun there
  std::optional<binding> as;
  held_slots held;
};

// How many groups have been left to their owners by this library's objects: an estimate, since
// another library's code may close them.
[[gnu::visibility("hidden")]] inline std::atomic<std::int64_t> left_to_owners{0};

// A task is run by its giver's wait, not as one of libdoall's group: as what.
[[gnu::visibility("hidden")]] inline thread_local const binding* run_directly = nullptr;

// This thread ends, and gives this group's tasks back to their object.
[[gnu::visibility("hidden")]] inline thread_local const begun_group* handed_back = nullptr;

// This thread ends, and has ended the groups that it had begun: it begins no more.
[[gnu::visibility("hidden")]] inline thread_local bool has_ended_groups = false;

}  // namespace detail
}  // namespace doall_v0
}  // namespace tbb

#endif
