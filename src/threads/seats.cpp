// The threads at the crew's worker slots (seats): idle workers leave them to steal, spare threads
// take their place, and all of them end.
//
// presence.hpp and README.md have the protocol. A worker that is away keeps what its loops know it
// by (its stealer: number, deque, frames) and comes back to the same seat. The spare has a stealer
// that belongs to the seat and has its number. It does not steal while it is idle, so it is only in
// loops that were offered to it or that it has begun. The worker, whose stay is older, is in none
// of these. No loop has two threads of one number.
//
// State: spares_, threads at a seat or waiting for one, at most one for each seat. They are kept,
// and sleep.
//
// Callers: fill_seats(), a holder of the crew, or of a domain of it; end_workers() and
// keep_worker(), the holder of the crew; the rest, the thread itself. A leader waits for a lock,
// and for no thread.
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
class crew::idle_bed {
 public:
  explicit idle_bed(seat& mine)
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

enum class crew::attempt { stole, found_nothing, everyone_is_called, told_to_go };

void* crew::worker_main(void* its_seat) {
  is_worker_ = true;
  seat& mine = *static_cast<seat*>(its_seat);
  pthread_setname_np(pthread_self(), ("doall-" + std::to_string(mine.pin)).c_str());
  take_home(mine.pin, &mine.place);
  const bool is_moved = !environment().pinned;
  mine.place.of_this_thread(is_moved ? topology::cpus_beside(mine.pin) : std::vector<int>());
  mine.me.open_books();
  set_stealer_here(&mine.me);
  const bool steals = mine.of().number_ == 0;  // the others' numbers are not their own
  park::patience patience;
  // (15) relaxed; alone: the start of the thread has published it
  std::uint64_t seen = mine.seen.load(sync::relaxed);
  for (;;) {
    const auto fp = base::fp_state::of_this_thread();  // a body may have changed it
    const barrier::task* work = nullptr;
    while (work == nullptr) {
      crew& of = mine.of();
      if (!steals) {
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
    work_on_task(mine, *work, fp);
    if (!is_worker_) return nullptr;  // as in lead(): the child's only thread has nothing to do
    team_barrier::finish(mine, seen);
  }
}

void* crew::spare_main(void* its) {
  is_worker_ = true;
  spare& me = *static_cast<spare*>(its);
  pthread_setname_np(pthread_self(), "doall-spare");
  me.place.of_this_thread({});
  for (;;) {
    seat* const at = wait_for_seat(me);
    if (at == nullptr || !serve(me, *at)) return nullptr;
  }
}

// Called by the thread at that slot, whose floating-point control state is `fp`.
void crew::work_on_task(seat& at, const barrier::task& work, const base::fp_state& fp) {
  crew& of = at.of();
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

// A look: whether the team of the last region wants help. A seat of an inner crew may have moved:
// then another thread has its number there.
bool crew::may_help(const seat& mine) {
  const helping::chance mine_to_help = helping::here();
  if (!mine_to_help) return false;
  if (&mine.of() != mine.helped_of || mine.index() != mine.helped_index) {
    helping::set_here({});
    return false;
  }
  return mine_to_help.wanted();
}

void crew::lead(const barrier::task& work, std::uint32_t index) {
  // An OpenMP region is no loop: loops that start in it are outermost.
  const bool is_loop = work.who == barrier::attendance::whoever_comes;
  if (is_loop) go_home();
  const inside_loop nested(is_loop ? stealer_here() : nullptr, &seats_[work.first]->me.root);
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
bool crew::join_others(park::spin_bound spin, barrier::branch mine, const barrier::task& work) {
  try {
    barrier_with(spin, work.who).join(mine, work);
  } catch (const left_by_fork&) {
    return false;
  }
  return true;
}

// Waits until there is an offer that the worker has not seen. False: its thread is to end.
bool crew::wait_or_steal(seat& mine, park::patience& patience, std::uint64_t& seen) {
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
      // Called for help in vain: stay at the seat.
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

crew::attempt crew::try_to_steal(seat& mine, std::uint64_t& seen) {
  const std::uint64_t born = generation_;
  // (1) relaxed; alone: a leader that sees the seat empty stores its own; else this is read back
  mine.seen.store(seen, sync::relaxed);
  // (2) relaxed; alone: only this thread's own view of it matters
  if (!stealing_begun_.load(sync::relaxed)) stealing_begun_.store(true);
  // From now on another thread may be at the seat.
  const helping::chance helped = helping::here();
  helping::set_here({});
  const std::uint64_t seen_before = seen;
  mine.who.leave();
  attempt done = attempt::everyone_is_called;
  if (!leased_.calls_everyone()) {
    done = attempt::found_nothing;
    const bool called = team_barrier::is_offered(mine, seen);
    if (!called && steal_and_work(mine.me, nullptr, &mine.who)) done = attempt::stole;
  }
  if (generation_ != born) return attempt::told_to_go;  // the child of a fork in that stay
  const bool stays =
      mine.who.come_home([&](auto gone) { mine.idle.wait(gone, 0); }, [&] { mine.idle.open(); });
  if (!stays) return attempt::told_to_go;
  mine.sits_here(mine.place);
  // (3) relaxed; alone: come_home() has ordered it
  seen = mine.seen.load(sync::relaxed);
  // Nothing was offered to the seat meanwhile, so it is in the same team as before.
  if (seen == seen_before) helping::set_here(helped);
  return done;
}

// Ensures that each of a team's seats has a thread that answers. Returns how many seats have one,
// including the leader's. A leader that sees that no worker has begun to steal has called everyone
// before: a worker that begins after that stays at home.
std::uint32_t crew::fill_seats(std::uint32_t first, std::uint32_t size) {
  if (!stealing_begun_.load()) return size;
  std::uint32_t filled = 1;
  while (filled < size && fill(*seats_[first + filled])) ++filled;
  return filled;
}

bool crew::fill(seat& at) {
  if (!at.who.is_empty()) return true;
  // A worker that only looks for something to steal is back before a spare could come.
  if (park::spin([&] { return !at.who.is_empty(); }, team_barrier::begin_within_ns)) return true;
  const std::lock_guard locked(staffing_);
  if (!at.stand_in) {
    at.stand_in.reset(
        base::or_null([&] { return new (std::nothrow) stealer(at.index(), at.me.domain); }));
    if (at.stand_in) {
      at.stand_in->open_books();
      add_stealer(*at.stand_in);
    }
  }
  spare* const sent = at.stand_in ? find_spare() : nullptr;
  if (sent == nullptr) return !at.who.is_empty();
  // (4) relaxed; alone: the sending publishes it
  at.seen.store(team_barrier::seen_before(at), sync::relaxed);
  at.sits_here(sent->place);
  sent->number = at.who.send_spare();
  if (sent->number == 0) {
    at.sits_here(at.place);
    return true;
  }
  // (5) release; pairs with (7): where it is sent
  sent->sent_to.store(&at, sync::release);
  sent->idle.open();
  return true;
}

// Finds or starts a spare that has no seat; null: no thread could be started.
crew::spare* crew::find_spare() try {
  const base::may_fail here;
  for (auto& s : spares_) {
    // (6) acquire; pairs with (9): it has left its seat
    if (s->sent_to.load(sync::acquire) == nullptr) return s.get();
  }
  if (without_spare_ != 0) {
    --without_spare_;
    return nullptr;
  }
  spares_.push_back(std::make_unique<spare>());
  spare& made = *spares_.back();
  if (const int error = start_thread(made.thread, spare_main, &made); error != 0) {
    spares_.pop_back();
    without_spare_ = teams_before_next_try;
    warn_of_refusal("a spare thread", error, "teams are smaller while workers run others' loops");
    return nullptr;
  }
  return &made;
} catch (const std::bad_alloc&) {
  return nullptr;
}

// The next seat that a spare is sent to; null: it is to end.
crew::seat* crew::wait_for_seat(spare& me) {
  seat* at = nullptr;
  const auto sent_or_ended = [&] {
    // (7) acquire; pairs with (5): where it is sent
    at = me.sent_to.load(sync::acquire);
    // (8) acquire; pairs with (10): the thread that ends it sends it nowhere later
    return at != nullptr || me.ends.load(sync::acquire);
  };
  me.idle.wait(sent_or_ended, 0);
  return at;
}

// Answers in place of the seat's worker until that comes back. False: this is the child of a fork
// in a task, where the thread has no use.
bool crew::serve(spare& me, seat& at) {
  const std::uint64_t born = at.of().generation_;
  take_home(at.pin, &me.place);
  const auto wake_worker = [&] { at.idle.open(); };
  park::patience patience;
  // (11) relaxed; alone: this thread was sent after it was written
  std::uint64_t seen = at.seen.load(sync::relaxed);
  for (bool stays = true; stays;) {
    const auto fp = base::fp_state::of_this_thread();
    at.of().wait_at(
        at, me.place, patience, [&] { return team_barrier::is_offered(at, seen); },
        [&] { return !at.who.is_mine(me.number); });
    if (!at.who.begin_work(me.number)) break;
    const std::uint64_t before = seen;
    const barrier::task* const work = team_barrier::claim(at, seen);
    if (work != nullptr && work->run == nullptr) {
      // Leave this offer for the worker to see too, if it comes back.
      // (12) relaxed; alone: go() publishes it
      at.seen.store(before, sync::relaxed);
      at.who.go(wake_worker);
      break;
    }
    if (work != nullptr) {
      set_stealer_here(at.stand_in.get());  // until it may be the next spare's
      work_on_task(at, *work, fp);
      if (at.of().generation_ != born) return false;
      helping::set_here({});  // the worker may come back any time
      team_barrier::finish(at, seen);
      set_stealer_here(nullptr);
    }
    // (13) relaxed; alone: end_work() publishes it
    at.seen.store(seen, sync::relaxed);
    stays = at.who.end_work(wake_worker);
  }
  // (9) release; pairs with (6): it has left the seat
  me.sent_to.store(nullptr, sync::release);
  return true;
}

// Ends the workers; the next team starts new ones. Called by the crew's holder alone, which calls
// everyone and holds staffing_. A worker that is away ends when it comes back. One that is coming,
// or is at its seat, is waited for.
void crew::end_workers() {
  for (auto& s : spares_) {
    // (10) release; pairs with (8): where it was sent before
    s->ends.store(true, sync::release);
    s->idle.open();
  }
  for (std::uint32_t w = 1; w <= started_; ++w) {
    seat& s = *seats_[w];
    s.left_behind = s.who.tell_to_go();
    if (s.left_behind) ++left_behind_;
    if (!s.left_behind || s.who.has_spare()) team_barrier::call(s, {});
  }
  for (std::uint32_t w = 1; w <= started_; ++w) {
    seat& s = *seats_[w];
    if (s.left_behind) continue;
    pthread_join(s.thread, nullptr);
  }
  for (const auto& s : spares_) pthread_join(s->thread, nullptr);
  for (std::uint32_t w = 1; w <= started_; ++w) seats_[w]->sits_here(seats_[w]->place);
  spares_.clear();
  for (const auto& s : seats_) {  // of this time or an earlier one
    if (!s || !s->left_behind || !s->who.has_gone()) continue;
    pthread_join(s->thread, nullptr);
    s->left_behind = false;
    --left_behind_;
  }
  started_ = 0;
  if (seats_[0]) seats_[0]->loops.reset();
}

// Keeps the worker of that seat, if it was left behind. False: there is none, or it has gone.
bool crew::keep_worker(std::uint32_t index) {
  if (!seats_[index] || !seats_[index]->left_behind) return false;
  seat& s = *seats_[index];
  // (14) relaxed; alone: keep() publishes it
  s.seen.store(team_barrier::seen_before(s), sync::relaxed);
  s.left_behind = false;
  --left_behind_;
  if (s.who.keep()) return true;
  pthread_join(s.thread, nullptr);
  return false;
}

}  // namespace doall::team
