// The half-barrier: release without join, join without release, along a tree.
//
// Paper: fine-grain, sections 3.1 and 3.2. A loop needs no full barrier at either end. At its start
// the workers wait for the master, but the master does not wait. At its end the master waits for
// the workers, but they do not wait, until the next release. Both go along a tree of teams
// (tree.hpp): a released worker releases the workers that it leads, runs, joins them, and has then
// finished for all of them. Loads and stores only; the task travels in the cache line of the word
// that announces it, so that one transfer delivers both. What its function is to read of the
// context may travel in the next line, which the leader has: nobody then writes, loop for loop, a
// line that the last loop's workers have read.
//
// Where it differs from the paper:
// - A worker that has waited long enough sleeps (park/gate.hpp). Its leader wakes it, so sleepers
//   wake along the tree too.
// - A task may be for *whoever comes*: a leader that is done does not wait for a worker that has
//   not begun. It withdraws that worker's task and stands in for it: it runs the worker's part and
//   leads its branch. So each part of the task runs once, on any thread, and a late, preempted or
//   sleeping worker delays no other. In a task for *everyone* each worker's part runs on its own
//   thread (OpenMP's regions).
// - A loop's reduction is combined as workers are joined (section 4.1): left before right.
//
// State: for each worker a release line (an offer's number and the task) and a line for what the
// task carries, written by its leader, and two that the worker writes: its claims, at which the
// leader looks only when it has waited, and the join line, at which it looks all the time.
//
//   offered    o        offer number o, a multiple of 4, stands
//              o + 2    it is withdrawn
//   claimed    o        the worker will run it, unless it finds it withdrawn
//   settled    o + 1    finished
//              o + 2    refused: claimed, but found withdrawn
//
// Invariants: only the worker's leader in the present launch writes a release line, and never while
// an offer is claimed and unfinished; the worker reads the task only after its claim stands; either
// the worker or its stand-in runs an offer, never both. src/barrier/README.md has the protocol step
// by step, and why it is right.
//
// Callers: release, join, lead and call: the thread that leads the branch. take, its steps and
// finish: the thread that is the worker, one at a time; each takes over what the last one saw
// (threads/presence.hpp). Terminates: see the README and park/README.md.
// Cost: one round trip of a cache line for each level of the tree. No fence, unless the kernel
// refuses the asymmetric one (base/asymmetric_fence.hpp); a withdrawal costs one heavy fence for
// all of a leader's workers.
// What brought nothing: docs/investigations/2026-11-26-captures-in-the-task.md.
// Why field by field: docs/investigations/2026-11-26-narrow-stores-and-wide-loads.md.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "barrier/tree.hpp"
#include "base/asymmetric_fence.hpp"
#include "base/cache_line.hpp"
#include "base/fp_state.hpp"
#include "base/sync.hpp"
#include "park/gate.hpp"

namespace doall::barrier {

enum class attendance : std::uint8_t {
  everyone,      // each worker's part runs on its own thread
  whoever_comes  // the leader stands in for a worker that comes too late
};

// What a released worker runs: run(*this, worker). A null `run` ends the worker. The task also
// carries `function` and `argument`, for tasks that need more than a context, so that no other line
// has to be fetched.
struct task {
  void (*run)(const task& work, std::uint32_t worker) = nullptr;
  void* context = nullptr;
  void (*function)(void*) = nullptr;
  void* argument = nullptr;
  std::uint32_t round = 0;    // the context's own number of this launch, if it has one
  base::fp_state fp{};        // the caller's, with which a worker runs it
  std::uint16_t workers = 0;  // the team's
  attendance who = attendance::everyone;

  // Whether `function` is a combination, void (*)(void* context, into, from). It is called after
  // worker `from`, which leads what lies right of `into`'s part so far, was joined.
  bool combines : 1 = false;

  // Whether each worker that leads others has a call for everyone of its own, which it ends when
  // these have their offers (threads/presence.hpp).
  bool calls : 1 = false;

  // Whether it is only for the domains' first workers. Each of them may then launch tasks of its
  // own on its domain's branch (section 3.3).
  bool leaders_only : 1 = false;

  // So many words at `context`, at most most_carried, are handed on with the task; `context` is
  // then the worker's copy of them, which stays until it has finished.
  std::uint8_t carried : 4 = 0;

  // The launch's first slot, and the end of this worker's branch; the barrier sets `end`.
  std::uint16_t first = 0;  // the slot of worker 0
  std::uint16_t end = 0;    // of the slots that this worker leads

  using combination = void (*)(void* context, std::uint32_t into, std::uint32_t from);
};

// Copies a task that has just been written, field by field: a load that is wider than the stores
// before it waits until these have left the core.
inline void copy_fields(const task& from, task& to) {
  const auto copy = [](const auto& one, auto& other) {
    other = one;
    sync::compiler_fence();  // or the compiler makes wider loads of several
  };
  copy(from.run, to.run);
  copy(from.context, to.context);
  copy(from.function, to.function);
  copy(from.argument, to.argument);
  copy(from.round, to.round);
  copy(from.fp, to.fp);
  copy(from.workers, to.workers);
  copy(from.who, to.who);
  // The bits that follow `who` are one byte, and are copied as one.
  constexpr std::size_t bits = offsetof(task, first) - 1;
  copy(reinterpret_cast<const unsigned char*>(&from)[bits],
       reinterpret_cast<unsigned char*>(&to)[bits]);
  copy(from.first, to.first);
  copy(from.end, to.end);
  static_assert(offsetof(task, who) + 1 == bits);
  static_assert(sizeof(task) == 48, "a new field is to be copied, too");
}

// What is carried is read and written word by word, whatever the program keeps in it.
using carried_word [[gnu::may_alias]] = std::uint64_t;
inline constexpr std::size_t most_carried = base::line_bytes / sizeof(carried_word);
static_assert(most_carried == 8, "task::carried has four bits, and abi.h says 64 bytes");

// A task in a worker's lines, with what it carries.
struct handed_task {
  task work;
  carried_word carried[most_carried];

  void take(const task& from, std::uint32_t end) {
    copy_fields(from, work);
    work.end = static_cast<std::uint16_t>(end);
    const std::size_t count = from.carried;
    if (count == 0) return;
    const auto* const words = static_cast<const carried_word*>(from.context);
    for (std::size_t i = 0; i < count; ++i) {
      carried[i] = words[i];
      sync::compiler_fence();  // as copy_fields()
    }
    work.context = carried;
  }
};

// One worker's lines.
struct alignas(base::apart_bytes) half_barrier_slot {
  // written by its leader
  sync::atomic<std::uint64_t> offered{0};
  park::gate idle;                // where the worker sleeps
  sync::plain<handed_task> work;  // what it carries lies in the next line

  // written by the worker
  alignas(base::apart_bytes) sync::atomic<std::uint64_t> settled{0};
  park::gate joining;  // where its leader sleeps

  // written by the worker, and apart: a claim would cost a transfer of the line the leader watches
  alignas(base::apart_bytes) sync::atomic<std::uint64_t> claimed{0};
};
#if !defined(DOALL_SYNC_MODEL)
static_assert(offsetof(half_barrier_slot, work) + sizeof(task) <= base::line_bytes,
              "a release is one transfer");
static_assert((offsetof(half_barrier_slot, work) + offsetof(handed_task, carried)) %
                      base::line_bytes ==
                  0,
              "what is carried has a line of its own: abi.h says how it is aligned");
#endif

// The barrier of the workers whose slots slot(w) returns, in teams of the shape. The user defines
// how a thread waits: slot.wait_for(w, ready) waits at the gate slot(w).joining.
template <class Slots>
class half_barrier {
 public:
  // How long a leader that has finished its own part lets a worker begin before it withdraws the
  // task: as long as a withdrawal may take (2 us were measured), so that the wrong decision costs
  // at most twice what the right one does.
  static constexpr std::uint64_t begin_within_ns = 2'000;

  half_barrier(Slots slot, const tree& shape, std::uint64_t begin_within = begin_within_ns)
      : slot_(slot), shape_(shape), begin_within_ns_(begin_within) {}

  // Releases the workers that `mine.begin` leads.
  void release(branch mine, const task& work) {
    const std::uint32_t kept = mine.begin + unreleased(mine, work);
    for (branch rest = mine; rest.end > kept;) {
      const branch child = shape_.last_child(rest);
      offer(slot_(child.begin), work, work.leaders_only ? child.begin + 1 : child.end);
      rest.end = child.begin;
    }
    for (branch rest = mine; rest.end > kept;) {
      rest.end = shape_.last_child(rest).begin;
      slot_(rest.end).idle.open();
    }
  }

  // How many of the workers that the leader releases have others to release.
  std::uint32_t releasing(branch mine) const {
    std::uint32_t n = 0;
    for (branch rest = mine; rest.size() > 1;) {
      const branch child = shape_.last_child(rest);
      n += child.size() > 1 ? 1 : 0;
      rest.end = child.begin;
    }
    return n;
  }

  // Waits until all parts of the branch but its leader's are done. Runs the parts of workers that
  // have not come.
  void join(branch mine, const task& work) {
    bool withdrawn = false;
    for (std::uint32_t next = mine.begin + unreleased(mine, work); next < mine.end;) {
      const branch child = shape_.child_at(mine, next);
      half_barrier_slot& s = slot_(child.begin);
      if (work.who == attendance::whoever_comes && !withdrawn && !comes(s)) {
        withdraw_from(next, mine);
        withdrawn = true;
      }
      if (!finished(child.begin)) lead(child, work);
      if (work.combines) {
        std::bit_cast<task::combination>(work.function)(work.context, mine.begin - work.first,
                                                        child.begin - work.first);
      }
      next = child.end;
    }
  }

  // Runs all of a branch's parts. Called by the thread that leads it or stands in for its leader.
  void lead(branch mine, const task& work) {
    release(mine, work);
    work.run(work, mine.begin - work.first);
    join(mine, work);
  }

  // Waits for a task and claims it. `seen` is what this worker saw last (0 at first). wait(ready)
  // waits at the gate s.idle.
  template <class Wait>
  static const task& take(half_barrier_slot& s, std::uint64_t& seen, Wait wait) {
    for (;;) {
      wait([&] { return is_offered(s, seen); });
      if (const task* const claimed = claim(s, seen)) return *claimed;
    }
  }

  // The first step of take(). Whether there is an offer that the worker has not seen.
  static bool is_offered(const half_barrier_slot& s, std::uint64_t seen) {
    // (1) relaxed; alone: (2) reads this offer, or a later one
    return s.offered.load(sync::relaxed) != seen;
  }

  // The second step: claims the offer. Null: it is withdrawn.
  static const task* claim(half_barrier_slot& s, std::uint64_t& seen) {
    // (2) acquire; pairs with (6): the task and all before the launch are visible
    seen = s.offered.load(sync::acquire);
    if ((seen & withdrawal) != 0) return nullptr;  // before it was claimed, or after it was run
    // (3) relaxed; pairs with (9): a claim; see (4)
    s.claimed.store(seen, sync::relaxed);
    // (14) seq_cst fence; pairs with (15): light, for the kernel makes it when (15) asks
    sync::light_fence();
    // (4) relaxed; pairs with (8): here or at (9), one of the two sides sees the other's store
    if (s.offered.load(sync::relaxed) == seen) return &s.work.get().work;
    seen += withdrawal;
    // (5) relaxed; alone: a refusal; the worker has read and done nothing
    s.settled.store(seen, sync::relaxed);
    s.joining.open();
    return nullptr;
  }

  // Offers a task to one worker, which leads no other in it.
  static void call(half_barrier_slot& s, const task& work) {
    offer(s, work, work.end);
    s.idle.open();
  }

  // What a worker counts as seen that begins in a slot, where another may have been before.
  static std::uint64_t seen_before(const half_barrier_slot& s) {
    // (12) relaxed; alone: its leader is starting it
    return s.offered.load(sync::relaxed);
  }

  // Called when the task that take() returned is done, with the parts of all that the worker leads.
  static void finish(half_barrier_slot& s, std::uint64_t seen) {
    // (11) release; pairs with (10): publishes what they did
    s.settled.store(seen + done, sync::release);
    s.joining.open();
  }

 private:
  static constexpr std::uint64_t done = 1;
  static constexpr std::uint64_t withdrawal = 2;
  static constexpr std::uint64_t apart = 4;  // from one offer to the next

  // How many of a branch's first workers a task does not concern, including the leader.
  std::uint32_t unreleased(branch mine, const task& work) const {
    return work.leaders_only ? shape_.own_domain(mine).size() : 1;
  }

  static std::uint64_t offer_of(std::uint64_t word) { return word & ~(apart - 1); }

  // The number of a slot's last offer. Called by its leader.
  static std::uint64_t last_offer(const half_barrier_slot& s) {
    // (7) relaxed; alone: this thread has written it, or an earlier leader, which was joined
    return offer_of(s.offered.load(sync::relaxed));
  }

  // Whether the worker has claimed its last offer.
  static bool has_claimed(const half_barrier_slot& s) {
    // (9) relaxed; pairs with (3): see (4); before (15) it is a hint
    return s.claimed.load(sync::relaxed) == last_offer(s);
  }

  // Whether the worker has settled its last offer, and how.
  static std::uint64_t how_settled(const half_barrier_slot& s) {
    // (10) acquire; pairs with (11): what the worker did is visible after the join
    const std::uint64_t word = s.settled.load(sync::acquire);
    return offer_of(word) == last_offer(s) ? word % apart : 0;
  }

  // Whether the worker has begun, or does so soon.
  bool comes(const half_barrier_slot& s) const {
    return park::spin([&] { return how_settled(s) != 0; }, begin_within_ns_) || has_claimed(s);
  }

  static void offer(half_barrier_slot& s, const task& work, std::uint32_t end) {
    const std::uint64_t next = last_offer(s) + apart;
    s.work.change([&](handed_task& there) { there.take(work, end); });
    // (6) release; pairs with (2): publishes the task and all before the launch
    s.offered.store(next, sync::release);
  }

  // Takes the offers back that the leader's workers from `next` on have not claimed.
  void withdraw_from(std::uint32_t next, branch mine) {
    while (next < mine.end) {
      const branch child = shape_.child_at(mine, next);
      half_barrier_slot& s = slot_(child.begin);
      // (8) relaxed; pairs with (4): see there
      if (!has_claimed(s)) s.offered.store(last_offer(s) + withdrawal, sync::relaxed);
      next = child.end;
    }
    // (15) seq_cst fence; pairs with (14), one for all
    sync::heavy_fence();
  }

  // Waits for the worker if it has begun; false if it has not, and will not.
  bool finished(std::uint32_t worker) {
    half_barrier_slot& s = slot_(worker);
    // (13) relaxed; alone: this thread has written it
    const bool withdrawn = (s.offered.load(sync::relaxed) & withdrawal) != 0;
    if (withdrawn && !has_claimed(s)) return false;
    slot_.wait_for(worker, [&] { return how_settled(s) != 0; });
    return how_settled(s) == done;
  }

  Slots slot_;
  const tree& shape_;
  std::uint64_t begin_within_ns_;
};

}  // namespace doall::barrier
