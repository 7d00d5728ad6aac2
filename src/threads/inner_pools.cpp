// Teams inside teams, for OpenMP's nested regions, and teams of regions whose callers cannot have
// the shared pool: each leases a pool of its own. All these pools share their threads, but for
// those that callers keep.
//
// Callers keep threads, for a program may leave data in them (threadprivate) for its next region,
// and OpenMP promises that it finds them, as long as the thread that has the regions, and the size
// of the team, stay the same. The first caller with a region owns the shared pool: other callers'
// regions do not use it. Each of these keeps the inner pool that its last region had. So the
// threads in all are those that the callers' teams need, as under libgomp and libomp. What a caller
// keeps is free again when its thread ends, or when no more pools or threads are to be had.
//
// Why pools, and not free slots of the shared pool: a team is released and joined through its pool,
// so the same code launches an inner team and an outer one, as fast, and the siblings of an inner
// team write no line that it reads. Ranges of one pool's slots would have to be cut and put
// together again, and each would need a slot for a leader that has one elsewhere.
//
// A slot moves with the thread that waits in it, from a pool that does not need it to
// one that does. Pool 1 is the reserve: no team leases it, and it has the threads that other pools
// do not need. Who moves threads from or to it, or ends them, takes it first.
//
// State: pools 1 to inner_made_, each free or leased (pool.cpp, (1) to (3)), and their slots.
// Invariants, while no thread holds staffing_:
// - a leased inner pool has as many threads as its team needs, and no more, unless those of the
//   reserve were being ended;
// - so a thread that is not at work is in the reserve or in a free pool, where any leader finds it,
//   or its keeper. A thread is started only when all are at work, are kept, or are in a pool that
//   its last leader holds for a moment, to see that it has changed;
// - slots move between pools that the mover has taken; their workers wait for a task, and the offer
//   of the next one publishes where they are.
//
// Callers: take_inner(), any thread that does not hold staffing_; the others, its holder.
// Terminates: no caller waits for a thread; if threads are missing the team is smaller.
//
// Cost: for a team as large as its leader's last one, the usual case in a loop of regions, one
// compare-and-swap on a line that no other thread writes, as for an outer team. Otherwise the lock,
// a look at each inner pool (as many as there were teams at a time, at most most_pools) and two
// pointers for each thread, and starting the missing threads.
#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "base/no_memory.hpp"
#include "threads/pool.hpp"

namespace doall::team {
namespace {

constexpr std::uint32_t reserve = 1;

// How often a caller tries to take the pool that it keeps: who led it before may have it for a
// moment, to see whose it is.
constexpr int most_looks = 100;

// The inner pool that this thread has led last, and for how large a team.
struct led_last {
  std::uint32_t pool = 0;  // none
  std::uint32_t workers = 0;
};
constinit thread_local led_last usual;
constinit thread_local led_last kept;  // as a caller beside the shared pool's

}  // namespace

constinit std::uint32_t pool::inner_made_ = 0;
constinit std::uint32_t pool::teams_without_try_ = 0;
constinit sync::atomic<std::uint32_t> pool::threads_beside_{0};
constinit caller_mark pool::owner_;
constinit thread_local char caller_mark::here = 0;

// Makes this caller the owner of the shared pool. False: another one is, or this one began with
// threads elsewhere.
bool pool::own_shared() { return owner_.is_mine() || (kept.pool == 0 && owner_.claim()); }

// Called as a caller ends.
void pool::keep_none() {
  owner_.give_up();
  if (pool* const its = pools_[kept.pool].if_made(); its != nullptr) its->keeper_.give_up();
  kept = {};
}

// Called in the child of a fork: no caller but this one exists.
void pool::forget_callers() {
  if (!owner_.is_mine()) owner_.set(false);
  for (std::uint32_t number = 1; number <= inner_made_; ++number) {
    caller_mark& keeper = pools_[number].if_made()->keeper_;
    if (!keeper.is_mine()) keeper.set(false);
  }
}

// Takes a pool for a team of `wanted` workers; it may have fewer. Null: there is none.
pool* pool::take_inner(std::uint32_t wanted, std::uint32_t threads_at_work, bool keeps) {
  led_last& last = keeps ? kept : usual;
  pool* const as_before = last.workers == wanted ? pools_[last.pool].if_made() : nullptr;
  for (int look = 0; as_before != nullptr && as_before->keeper_.fits(keeps); ++look) {
    if (as_before->try_take()) {
      if (as_before->started_ + 1 == wanted && as_before->keeper_.fits(keeps)) return as_before;
      as_before->give_back();
      break;
    }
    if (!keeps || look == most_looks) break;
    sync::yield();
  }
  const std::lock_guard locked(staffing_);
  pool* const found = find_inner(last.pool, keeps);
  if (found == nullptr) return nullptr;
  if (keeps && last.pool != 0 && last.pool != found->number_) {
    pools_[last.pool].if_made()->keeper_.give_up();
  }
  last = {found->number_, wanted};
  found->keeper_.set(keeps);
  try {
    const base::may_fail here;
    found->staff_inner(wanted, threads_at_work);
  } catch (const std::bad_alloc&) {  // as if no thread could be started
    found->give_back();
    return nullptr;
  }
  return found;
}

// Finds and takes a free pool; of several the one that this thread led last.
pool* pool::find_inner(std::uint32_t last, bool keeps) {
  if (inner_made_ == 0) make_inner();
  if (last > reserve && last <= inner_made_) {
    pool* const c = pools_[last].if_made();
    if (c->keeper_.fits(keeps) && c->try_take()) return c;
  }
  const auto take_first = [](bool kept_too) -> pool* {
    for (std::uint32_t number = reserve + 1; number <= inner_made_; ++number) {
      pool* const c = pools_[number].if_made();
      if ((kept_too || c->keeper_.is_none()) && c->try_take()) return c;
    }
    return nullptr;
  };
  if (pool* const c = take_first(false); c != nullptr) return c;
  if (inner_made_ + 1 == most_pools) return take_first(true);
  pool& made = make_inner();
  made.try_take();  // succeeds: no other thread knows of it
  return &made;
}

pool& pool::make_inner() {
  const std::uint32_t number = inner_made_ + 1;
  pool& made = pools_[number].get([number] { return pool(number); });
  inner_made_ = number;
  return made;
}

// As staff(), for an inner pool.
void pool::staff_inner(std::uint32_t wanted, std::uint32_t threads_at_work) {
  if (!slots_[0]) at_[0] = (slots_[0] = std::make_unique<slot>(*this, 0, 0)).get();
  make_loops(0, wanted);
  give_to_reserve(wanted);
  recruit(wanted, false);
  if (started_ + 1 >= wanted) return;
  if (teams_without_try_ == 0) {
    // After all threads that there are: those that are kept may be at work later.
    // (1) relaxed; alone: an estimate
    std::uint32_t there = shared().last_size_.load(sync::relaxed);
    for (std::uint32_t number = 1; number <= inner_made_; ++number) {
      there += pools_[number].if_made()->started_;
    }
    const std::uint32_t before = std::max(threads_at_work, there - started_);
    while (started_ + 1 < wanted && start_worker(started_ + 1, before + started_)) ++started_;
    if (started_ + 1 >= wanted) return;
    teams_without_try_ = teams_before_next_try;
  } else {
    --teams_without_try_;
  }
  recruit(wanted, true);
}

// Gives away the threads that a team of `wanted` does not need; not while the reserve's are ended.
void pool::give_to_reserve(std::uint32_t wanted) {
  if (started_ + 1 <= wanted) return;
  pool& others = *pools_[reserve].if_made();
  if (!others.try_take()) return;
  while (started_ + 1 > wanted && others.take_over_from(*this)) continue;
  others.give_back();
}

// Takes over threads that are not at work.
void pool::recruit(std::uint32_t wanted, bool from_kept) {
  for (std::uint32_t number = reserve; number <= inner_made_ && started_ + 1 < wanted; ++number) {
    pool& other = *pools_[number].if_made();
    if (!from_kept && !other.keeper_.is_none()) continue;
    if (!other.try_take()) continue;  // this one, too
    while (started_ + 1 < wanted && take_over_from(other)) continue;
    other.give_back();
  }
}

// Makes the other pool's last thread this one's last.
bool pool::take_over_from(pool& other) {
  if (other.started_ == 0 || started_ + 1 == most_workers) return false;
  std::unique_ptr<slot>& theirs = other.slots_[other.started_];
  std::unique_ptr<slot>& mine = slots_[started_ + 1];
  std::swap(theirs, mine);
  at_[started_ + 1] = mine.get();
  other.at_[other.started_] = theirs.get();
  // A slot without a thread, which may get one again.
  if (theirs) theirs->move_to(other, other.started_);
  mine->move_to(*this, started_ + 1);
  --other.started_;
  ++started_;
  return true;
}

pool::lease::lease(std::uint32_t wanted, inside team) {
  take_inner_team(wanted, team.threads_at_work, false);
  if (pool_ == nullptr) return;
  begin(*pool_, team.threads_at_work + size_ - 1, barrier::attendance::everyone);
}

void pool::lease::take_inner_team(std::uint32_t wanted, std::uint32_t threads_at_work, bool keeps) {
  if (wanted <= 1) return;
  pool* const taken = take_inner(std::min(wanted, most_workers), threads_at_work, keeps);
  if (taken == nullptr) return;
  size_ = std::min(wanted, taken->started_ + 1);
  if (size_ == 1)
    taken->give_back();
  else
    pool_ = taken;
}

}  // namespace doall::team
