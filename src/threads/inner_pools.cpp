// Teams inside teams, for OpenMP's nested regions, and teams of regions whose callers cannot have
// the shared pool: each leases a pool of its own. All these pools share their threads.
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
// - so a thread that is not at work is in the reserve or in a free pool, where any leader finds it.
//   A thread is started only when all are at work, or are in a pool that its last leader holds for
//   a moment, to see that it has changed;
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

// The inner pool that this thread has led last, and for how large a team.
struct led_last {
  std::uint32_t pool = 0;  // none
  std::uint32_t workers = 0;
};
constinit thread_local led_last usual;

}  // namespace

constinit std::uint32_t pool::inner_made_ = 0;
constinit std::uint32_t pool::teams_without_try_ = 0;
constinit sync::atomic<std::uint32_t> pool::threads_beside_{0};

// Takes a pool for a team of `wanted` workers; it may have fewer. Null: there is none.
pool* pool::take_inner(std::uint32_t wanted, std::uint32_t threads_at_work) {
  pool* const last = usual.workers == wanted ? pools_[usual.pool].if_made() : nullptr;
  if (last != nullptr && last->try_take()) {
    if (last->started_ + 1 == wanted) return last;
    last->give_back();
  }
  const std::lock_guard locked(staffing_);
  pool* const found = find_inner();
  if (found == nullptr) return nullptr;
  usual = {found->number_, wanted};
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
pool* pool::find_inner() {
  if (inner_made_ == 0) make_inner();
  if (usual.pool > reserve && usual.pool <= inner_made_) {
    if (pool* const c = pools_[usual.pool].if_made(); c->try_take()) return c;
  }
  for (std::uint32_t number = reserve + 1; number <= inner_made_; ++number) {
    if (pool* const c = pools_[number].if_made(); c->try_take()) return c;
  }
  if (inner_made_ + 1 == most_pools) return nullptr;
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
  recruit(wanted);
  if (started_ + 1 >= wanted) return;
  if (teams_without_try_ != 0) {
    --teams_without_try_;
    return;
  }
  while (started_ + 1 < wanted && start_worker(started_ + 1, threads_at_work + started_)) {
    ++started_;
  }
  if (started_ + 1 < wanted) teams_without_try_ = teams_before_next_try;
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
void pool::recruit(std::uint32_t wanted) {
  for (std::uint32_t number = reserve; number <= inner_made_ && started_ + 1 < wanted; ++number) {
    pool& other = *pools_[number].if_made();
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
  take_inner_team(wanted, team.threads_at_work);
  if (pool_ == nullptr) return;
  begin(*pool_, team.threads_at_work + size_ - 1, barrier::attendance::everyone);
}

void pool::lease::take_inner_team(std::uint32_t wanted, std::uint32_t threads_at_work) {
  if (wanted <= 1) return;
  pool* const taken = take_inner(std::min(wanted, most_workers), threads_at_work);
  if (taken == nullptr) return;
  size_ = std::min(wanted, taken->started_ + 1);
  if (size_ == 1)
    taken->give_back();
  else
    pool_ = taken;
}

}  // namespace doall::team
