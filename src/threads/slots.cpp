// The threads at the pool's slots: idle workers leave them to steal, and all of them
// end.
//
// presence.hpp and README.md have the protocol. A worker that is away keeps what its loops know it
// by (its stealer: number, deque, frames) and comes back to the same slot. A *substitute*,
// which answers for it meanwhile, has a slot of its own, and steals nothing while it is idle.
//
// Callers: fill_slots() and send_back(), a holder of the pool, or of a domain of it;
// call_to_end(), join_ended() and keep_worker(), the holder of the pool; the rest, the thread
// itself. A leader waits for a lock, and for no thread.
#include <pthread.h>

#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "base/no_memory.hpp"
#include "base/tsan.hpp"
#include "threads/waiting.hpp"
#include "topology/domains.hpp"

namespace doall::team {

// Of an idle worker: a thief's, and a helper's.
class pool::idle_bed {
 public:
  explicit idle_bed(slot& mine)
      : thief_(mine.me, nullptr, mine.idle), helper_(helping::here(), mine.idle) {}
  void lie_down() const {
    thief_.lie_down();
    helper_.lie_down();
  }
  bool is_called() const { return thief_.is_called() || helper_.is_called(); }
  void get_up() const {
    helper_.get_up();
    thief_.get_up();
  }

 private:
  bed thief_;
  helping_bed helper_;
};

enum class pool::attempt { stole, found_nothing, everyone_is_called, told_to_go };

void* pool::worker_main(void* its_slot) {
  is_worker_ = true;
  const struct at_end {
    ~at_end() { is_worker_at_end_ = is_worker_; }  // not in the child of a fork in its work
  } marks_it;
  slot& mine = *static_cast<slot*>(its_slot);
  pthread_setname_np(pthread_self(), ("doall-" + std::to_string(mine.pin)).c_str());
  take_home(mine.pin, &mine.place);
  const bool is_moved = !environment().pinned;
  mine.place.of_this_thread(is_moved ? topology::cpus_beside(mine.pin) : std::vector<int>());
  mine.me.open_books();
  set_stealer_here(&mine.me);
  park::patience patience;
  std::uint32_t home = mine.pin;
  std::uint64_t seen = mine.seen;
  for (;;) {
    const auto fp = base::fp_state::of_this_thread();  // a body may have changed it
    const barrier::task* work = nullptr;
    while (work == nullptr) {
      pool& of = mine.of();
      if (!mine.steals) {
        const auto offered = [&] { return team_barrier::is_offered(mine, seen); };
        of.wait_at(
            mine, mine.place, patience, offered, [&] { return may_help(mine); },
            helping_bed(helping::here(), mine.idle));
        if (!offered()) {
          if (may_help(mine)) helping::here().help();
          if (!is_worker_) return nullptr;  // the child of a fork in what it helped with
          continue;
        }
      } else if (!of.wait_or_steal(mine, patience, seen)) {
        return nullptr;
      }
      work = team_barrier::claim(mine, seen);
    }
    if (work->run == nullptr) return nullptr;
    if (mine.home != home) take_home(home = mine.home, &mine.place);  // it is a substitute, or was
    work_on_task(mine, *work, fp);
    if (!is_worker_) return nullptr;  // as in lead(): the child's only thread has nothing to do
    team_barrier::finish(mine, seen);
  }
}

// Called by the thread at that slot, whose floating-point control state is `fp`.
void pool::work_on_task(slot& at, const barrier::task& work, const base::fp_state& fp) {
  pool& of = at.of();
  base::tsan_takes(&of.shape_);
  if (work.fp != fp) work.fp.load();
  helping::set_here({});
  if (work.leaders_only)
    of.lead_domain(work, at.index());
  else
    of.lead(work, at.index());
  at.helped_of = &of;
  at.helped_index = at.index();
  base::tsan_gives(&of.leased_);
}

// A look: whether the team of the last region wants help. The slot may have moved: then another
// thread has its number there.
bool pool::may_help(const slot& mine) {
  const helping::chance mine_to_help = helping::here();
  if (!mine_to_help) return false;
  if (&mine.of() != mine.helped_of || mine.index() != mine.helped_index) {
    helping::set_here({});
    return false;
  }
  return mine_to_help.wanted();
}

void pool::lead(const barrier::task& work, std::uint32_t index) {
  // An OpenMP region is no loop: loops that start in it are outermost.
  const bool is_loop = work.who == barrier::attendance::whoever_comes;
  if (is_loop) go_home();
  const inside_loop nested(is_loop ? stealer_here() : nullptr, &slots_[work.first]->me.root);
  const barrier::branch mine{index, work.end};
  if (mine.size() == 1) {
    work.run(work, index - work.first);
    return;
  }
  // (16) relaxed; alone: see lease.cpp (2)
  team_barrier its_branch = barrier_with(busy_spin_.load(sync::relaxed), work.who);
  const std::uint32_t members = work.calls ? its_branch.releasing(mine) : 0;
  if (members != 0) leased_.call_everyone(members);
  its_branch.release(mine, work);
  if (work.calls) leased_.has_called();
  work.run(work, index - work.first);
  // In the child of a fork in the body the others do not exist, and no thread waits for this one.
  if (is_worker_) join_others(busy_spin(), mine, work);
}

// False: this is the child of a fork in what the thread did for its team while it waited. The
// others do not exist.
bool pool::join_others(park::spin_bound spin, barrier::branch mine, const barrier::task& work) {
  try {
    barrier_with(spin, work.who).join(mine, work);
  } catch (const left_by_fork&) {
    return false;
  }
  return true;
}

// Waits until there is an offer that the worker has not seen. False: its thread is to end.
bool pool::wait_or_steal(slot& mine, park::patience& patience, std::uint64_t& seen) {
  const auto ready = [&] { return team_barrier::is_offered(mine, seen); };
  for (;;) {
    wait_at(
        mine, mine.place, patience, ready,
        [&] { return may_steal(mine.me, nullptr) || may_help(mine); }, idle_bed(mine));
    for (attempt last = attempt::stole; last == attempt::stole;) {
      if (ready()) return true;
      if (may_help(mine)) {
        helping::here().help();
        if (!is_worker_) return false;  // as in worker_main()
        continue;
      }
      // Called for help in vain: stay at the slot.
      if (helping::here() && !may_steal(mine.me, nullptr)) break;
      last = try_to_steal(mine, seen);
      if (last == attempt::told_to_go) return false;
      // A leader makes its offers in a moment, unless its call is held until its region ends.
      while (last == attempt::everyone_is_called && !ready() && !may_help(mine) &&
             leased_.calls_everyone()) {
        if (!leased_.is_held()) {
          sync::yield();
          continue;
        }
        wait_at(
            mine, mine.place, patience, ready, [&] { return !leased_.is_held() || may_help(mine); },
            helping_bed(helping::here(), mine.idle));
      }
    }
  }
}

pool::attempt pool::try_to_steal(slot& mine, std::uint64_t& seen) {
  const std::uint64_t born = generation_;
  // (1) relaxed; alone: only this thread's own view of it matters
  if (!stealing_begun_.load(sync::relaxed)) stealing_begun_.store(true);
  const helping::chance helped = helping::here();
  helping::set_here({});
  mine.who.leave();
  attempt done = attempt::everyone_is_called;
  if (!leased_.calls_everyone()) {
    done = attempt::found_nothing;
    const bool called = team_barrier::is_offered(mine, seen);
    if (!called && steal_and_work(mine.me, nullptr, &mine.who)) done = attempt::stole;
  }
  if (generation_ != born) return attempt::told_to_go;  // the child of a fork in that stay
  if (!mine.who.come_home()) return attempt::told_to_go;
  helping::set_here(helped);
  return done;
}

// Whether the worker has left its slot for longer than a look for something to steal takes. The
// caller waits that long for each stay.
bool pool::is_left(slot& s) {
  const auto is_back = [&] { return !s.who.is_empty(); };
  if (is_back()) return false;
  const std::uint64_t stay = s.who.stay();
  if (std::exchange(s.awaited_stay, stay) == stay) return true;
  return !park::spin(is_back, team_barrier::begin_within_ns);
}

// Ensures that each of the team's slots has a thread that answers. Returns how many slots have one,
// including the leader's. A leader that sees that no worker has begun to steal has called everyone
// before: a worker that begins after that stays at home.
std::uint32_t pool::lease::fill_slots(pool& c, std::uint32_t size) {
  if (!c.stealing_begun_.load()) return size;
  std::uint32_t empty = 0;
  for (std::uint32_t w = first_ + 1; w < first_ + size; ++w) {
    slot& s = *c.slots_[w];
    s.was_left = is_left(s);
    empty += s.was_left ? 1 : 0;
  }
  if (empty == 0) return size;
  substitutes_ = take_inner(empty + 1, c.started_ + 1, false);
  const std::uint32_t most = substitutes_ != nullptr ? substitutes_->started_ : 0;
  std::uint32_t used = 0;
  for (std::uint32_t w = first_ + 1; w < first_ + size; ++w) {
    // Another worker that looks around now comes home; and one of those may be back.
    if (!c.slots_[w]->was_left || !c.slots_[w]->who.is_empty()) continue;
    if (used == most) return w - first_;
    slot& other = *substitutes_->slots_[++used];
    other.move_to(c, w);
    other.home = c.slots_[w]->pin;
    c.at_[w] = &other;
  }
  return size;
}

// Gives the slots back to their workers, and the substitutes to their pool.
void pool::lease::send_back(pool& c) {
  if (substitutes_ == nullptr) return;
  for (std::uint32_t i = 1; i <= substitutes_->started_; ++i) {
    slot& other = *substitutes_->slots_[i];
    if (&other.of() != &c) break;
    c.at_[other.index()] = c.slots_[other.index()].get();
    other.move_to(*substitutes_, i);
    other.home = other.pin;
  }
  std::exchange(substitutes_, nullptr)->give_back();
}

// Tells the workers to end; the next team starts new ones. Called by the pool's holder alone, which
// calls everyone. A worker that is away ends when it comes back.
void pool::call_to_end() {
  for (std::uint32_t w = 1; w <= started_; ++w) {
    slot& s = *slots_[w];
    s.left_behind = s.who.tell_to_go();
    if (s.left_behind)
      ++left_behind_;
    else
      team_barrier::call(s, {});
  }
}

// Waits for those that were coming, or at their slots. They run the program's thread_local
// destructors, which may have regions or want what a thread has that begins one: so no lock is held
// that these need.
void pool::join_ended() {
  for (std::uint32_t w = 1; w <= started_; ++w) {
    slot& s = *slots_[w];
    if (s.left_behind) continue;
    pthread_join(s.thread, nullptr);
  }
  for (const auto& s : slots_) {  // of this time or an earlier one
    if (!s || !s->left_behind || !s->who.has_gone()) continue;
    pthread_join(s->thread, nullptr);
    s->left_behind = false;
    --left_behind_;
  }
  if (slots_[0]) slots_[0]->loops.reset();
}

// Keeps the worker of that slot, if it was left behind. None: there is none, or its thread has
// ended. Otherwise it ends: it may be in the program's destructors, which may wait for this thread.
pool::left_worker pool::keep_worker(std::uint32_t index) {
  if (!slots_[index] || !slots_[index]->left_behind) return left_worker::none;
  slot& s = *slots_[index];
  const bool is_kept = s.who.keep();
  if (!is_kept && pthread_tryjoin_np(s.thread, nullptr) != 0) return left_worker::ends;
  s.left_behind = false;
  --left_behind_;
  return is_kept ? left_worker::kept : left_worker::none;
}

}  // namespace doall::team
