// A team's tasks: each member's deque, where members sleep, and what all share.
//
// A `member` is a thread number of a team: the deque of its tasks, their memory, and a bed. The
// region's leader makes them all, as the team grows. No worker makes its own: it would do so while
// it goes to sleep, after the region, where the program may fork; an allocator that cannot be
// forked meanwhile (ThreadSanitizer's of GCC 12) then waits in the child for ever. That costs some
// 3 KB a member, in the leader's memory, also in a program without tasks. A `task_team`
// belongs to a region object; both are recycled, and kept until the library is unloaded, because
// threads that are not in the team may look at them a little late: the one that fulfills an event,
// or an idle worker.
//
// Who may take which task: see tasks.cpp. How sleepers are called: sleepers.hpp.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>

#include "deque/chase_lev.hpp"
#include "deque/theft_pace.hpp"
#include "park/futex_lock.hpp"
#include "park/gate.hpp"
#include "tasks/meetings.hpp"
#include "tasks/open_events.hpp"
#include "tasks/open_region.hpp"
#include "tasks/sleepers.hpp"
#include "tasks/task.hpp"
#include "tasks/task_memory.hpp"
#include "tasks/task_queue.hpp"
#include "threads/helping.hpp"

namespace doall::tasks {

class task_team;

struct tree_of_tasks {
  static bool precedes(const task* a, const task* b) { return ancestry::precedes(a, b); }
  static bool is_within(const task* t, const task* of) { return ancestry::is_within(t, of); }
};
using task_queue = basic_task_queue<task, tree_of_tasks>;

struct alignas(base::apart_bytes) member {
  // A deque that is full has enough to share: its owner executes further tasks immediately.
  static constexpr std::uint32_t backlog = 256;
  using tasks = deque::chase_lev<std::uintptr_t, backlog>;

  tasks waiting;
  task root;
  task_memory memory;
  task_team* of = nullptr;
  std::uint32_t index = 0;
  std::uint32_t victim = 0;           // whom it stole from last
  std::uint32_t immediate_depth = 0;  // tasks on its stack that were executed immediately
  std::uint32_t unstolen = 0;         // tasks that it has taken back, one after the other
  std::uint32_t chances = 0;          // to keep a task from thieves (is_kept_from_thieves())

  deque::theft_pace pace{200};
  task* stolen = nullptr;  // what the thread has stolen, until that begins

  // Of the last taskloop of which the thread executed tasks.
  taskloop_times last_taskloop;
  std::uint32_t taskloops = 0;  // that it has met

  park::gate bed;
  sleeper sleeping;

  tasks::owner mine() { return tasks::owner(waiting); }
  tasks::thief as_victim() { return tasks::thief(waiting); }
};

// A thread number's place in its team: its member, and what its thread does for the team when its
// own part of the region has ended (threads/helping.hpp).
class place final : public team::helping {
 public:
  task_team* of = nullptr;
  std::uint32_t index = 0;
  member self;

  meetings::count met;  // with cancellation

  bool wanted(std::uint32_t round) override;
  void help(std::uint32_t round) override;
  bool lie_down(std::uint32_t round, park::gate& at) override;
  bool is_called(std::uint32_t round, park::gate& at) override;
  void get_up(park::gate& at) override;
};

class task_team {
 public:
  // Called by the region's leader, while no other thread is in the region.
  void make_room(std::uint32_t members) {
    if (members != size()) resize(members);
  }

  place& at(std::uint32_t index) {
    const auto row = static_cast<std::uint32_t>(std::bit_width(index + 1)) - 1;
    return places_[row][index + 1 - (1U << row)];
  }
  member& member_of(std::uint32_t index) { return at(index).self; }

  // The thread numbers in use.
  std::uint32_t size() const {
    // (8) acquire; pairs with task_team (9): the places of that many members
    return size_.load(sync::acquire);
  }

  // Begins the next region; its number. Called by its leader.
  std::uint32_t begin_round() { return open_.begin(); }
  std::uint32_t round() const { return open_.round(); }

  bool has_tasks() const { return open_.has_tasks(); }

  // How many tasks are in the queue that all share: a hint.
  std::uint32_t queued() const {
    // (47) relaxed; alone: a hint
    return queued_.load(sync::relaxed);
  }

  // Pushes a task that is ready, and calls a sleeper. False: the deque is full.
  bool push(member& me, task* t);
  // Hands over a task that has a priority, or that the caller, maybe no member, cannot push.
  void enqueue(task* t);

  // Takes a task that descends from `within`; null: any. `floor`: what of its own deque is above it
  // descends. Null also if thieves leave what there is (left_to_owner_until(), theft_pace.hpp),
  // after a pause.
  task* take(member& me, std::int64_t floor, const task* within);
  // Whether it is worth trying, now or soon.
  bool may_take(member* me, std::int64_t floor, const task* within);

  // Whether the thread leaves tasks to their owners for now.
  bool rests(member& me) const;

  // Of a thread that is in the region.
  void lie_down(member& me, const task* within, park::gate& at) {
    sleepers_.lie_down(me.sleeping, within, at, [] { return true; });
  }
  void get_up(member& me, park::gate& at);
  // Wakes all members that sleep.
  void wake_members();

  // A detached task has been made, or is finished.
  void add_event() {
    events_.add([this] { wake_members(); });
  }
  void drop_event() { events_.drop(); }

  // Closes the region to helpers. Called by its leader when all parts have ended.
  void close(park::spin_bound spin) { open_.close(spin); }

  // Called in the child of a fork by a thread of the region.
  void forget_after_fork();

  // Whether no thread waits for others, as they may never come: the region is cancelled, or this is
  // the child of a fork in it.
  bool is_given_up() const {
    return (meeting.cancelled() & meetings::cancelled_parallel) != 0 || in->is_alone();
  }

  // Whether the region, or its worksharing construct, is cancelled; how far its threads have come.
  alignas(base::apart_bytes) meetings meeting;
  sync::atomic<std::uint32_t> cancelled_groups{0};  // that are open

  team_host* in = nullptr;
  task_team* next_free = nullptr;

  // From the list of those that are not in use, and back.
  static task_team* find(team_host& host);
  static void give_back(task_team* team);
  static void free_all();

 private:
  friend class place;
  void resize(std::uint32_t members);
  template <class MayTake>
  void tell_of(const member* me, MayTake may_take);
  template <class MayTake>
  bool call_sleeper(const member* but, MayTake may_take);
  void call_for_any();
  task* steal(member& me, const task* within);
  bool may_have_queued(const task* within) const;
  task* take_queued(const task* within);
  static void note_queued(task* t);
  bool keeps_back(member& me) const;

  // Row r has 2^r places, which never move: idle workers may look at any time.
  static constexpr std::uint32_t rows_most = 17;
  std::array<std::unique_ptr<place[]>, rows_most> places_;
  std::uint32_t rows_ = 0;
  sync::atomic<std::uint32_t> size_{0};

  alignas(base::apart_bytes) open_region open_;
  alignas(base::apart_bytes) sleepers sleepers_;
  sync::atomic<std::uint32_t> queued_{0};  // tasks in queue_
  open_events events_;

  park::futex_lock queue_lock_;
  task_queue queue_;
};

}  // namespace doall::tasks
