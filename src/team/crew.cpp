#include "team/crew.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/env.hpp"
#include "base/fork.hpp"
#include "base/lazy.hpp"
#include "base/tsan.hpp"
#include "base/unload.hpp"
#include "team/waiting.hpp"
#include "topology/domains.hpp"

namespace doall::team {
namespace {

// Live threads for which the workers wait: those that have held the crew, and the
// main thread, so that a program whose loops are all in short-lived threads does
// not start its workers again for each. When the last one ends the workers do:
// a main thread may leave by pthread_exit(), and the process must not live on for
// threads that nobody will give work.
sync::atomic<std::uint32_t> callers{0};
constinit thread_local bool counted = false;  // among callers
pthread_key_t caller_end_key;
bool caller_end_key_made = false;

// A worker handles no signal that is sent to the process: all stay blocked.
class all_signals_blocked {
 public:
  all_signals_blocked() {
    sigset_t all;
    sigfillset(&all);
    // Faults are the thread's own: blocked, they end the process past any handler.
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&all, own);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~all_signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

constinit std::array<base::lazy<crew>, most_crews> crew::crews_;
constinit std::mutex crew::staffing_;
const int crew::forks_wait_ = base::free_in_children<staffing_>();

crew& crew::shared() {
  return crews_[0].get([] { return crew(0); });
}

template <class Each>
void crew::for_all(Each each) {
  for (const auto& c : crews_) {
    crew* const made = c.if_made();
    if (made == nullptr) return;
    each(*made);
  }
}

bool crew::try_take() {
  std::uint32_t nobody = 0;
  // (1) relaxed; alone: only spares (2) its attempt
  if (leased_.load(sync::relaxed) != 0) return false;
  // (2) acquire; pairs with (3): what the last holder left is visible
  return leased_.compare_exchange_strong(nobody, 1, sync::acquire, sync::relaxed);
}

// (3) release; pairs with (2), (9): the next holder sees what this one left
void crew::give_back() { leased_.store(0, sync::release); }

// Threads and loop storage for a team of `wanted`; returns the size there is.
std::uint32_t crew::staff(std::uint32_t wanted) {
  if (dismissed_) return 1;
  if (wanted > ceiling_ && ++refused_ == teams_before_next_try) ceiling_ = most_workers;
  wanted = std::min(wanted, ceiling_);
  if (wanted > started_ + 1) {
    if (!seats_[0]) {
      domain_starts_ = topology::domain_starts(most_workers);
      seats_[0] = std::make_unique<seat>(*this, 0, 0);
    }
    while (started_ + 1 < wanted && start_worker(started_ + 1, started_ + 1)) ++started_;
    if (started_ + 1 < wanted) {
      ceiling_ = wanted = started_ + 1;
      refused_ = 0;
    }
    if (environment().pinned) pin_calling_thread(0);
  }
  if (wanted > 1) make_loops(0, wanted);
  return wanted;
}

// Storage for the loops of teams of so many workers, whose first has that seat.
void crew::make_loops(std::uint32_t first, std::uint32_t workers) {
  seat& leader = *seats_[first];
  if (leader.loops && leader.loops->workers() >= workers) return;
  leader.loops = std::make_unique<loop_ring>(loop_ring::team_depth, workers);
  leader.next_loop = 0;
}

bool crew::start_worker(std::uint32_t index, std::uint32_t pin) {
  std::unique_ptr<seat>& its = seats_[index];
  if (!its) {
    const auto after = std::ranges::upper_bound(domain_starts_, index);
    its = std::make_unique<seat>(*this, index,
                                 static_cast<std::uint32_t>(after - domain_starts_.begin()));
    if (number_ == 0) add_stealer(its->me);
  }
  its->pin = pin;
  its->seen = team_barrier::seen_before(*its);
  const all_signals_blocked quiet;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (const auto bytes = environment().stack_bytes; bytes != 0) {
    pthread_attr_setstacksize(&attributes, bytes);  // too small a value: the default stays
  }
  const int error = pthread_create(&its->thread, &attributes, worker_main, its.get());
  pthread_attr_destroy(&attributes);
  if (error != 0) {
    if (!std::exchange(shared().warned_of_refusal_, true)) {
      const std::string fewer = number_ == 0
                                    ? "teams have at most " + std::to_string(index) + " workers"
                                    : "teams inside of others have fewer workers";
      base::warn("thread " + std::to_string(pin + 1) + " could not be started (" +
                 std::strerror(error) + "): " + fewer + " until one can be");
    }
    return false;
  }
  return true;
}

void* crew::worker_main(void* its_seat) {
  seat& mine = *static_cast<seat*>(its_seat);
  pthread_setname_np(pthread_self(), ("doall-" + std::to_string(mine.pin)).c_str());
  if (environment().pinned) pin_calling_thread(mine.pin);
  mine.place.of_this_thread();
  set_stealer_here(&mine.me);
  park::patience patience;
  std::uint64_t seen = mine.seen;
  for (;;) {
    const auto fp = base::fp_state::of_this_thread();  // a body may have changed it
    const barrier::task& work = team_barrier::take(
        mine, seen, [&](auto ready) { mine.of().wait_for_work(mine, patience, ready); });
    if (work.run == nullptr) return nullptr;
    crew& mine_now = mine.of();
    base::tsan_takes(&mine_now.shape_);
    if (work.fp != fp) work.fp.load();
    if (work.leaders_only)
      mine_now.lead_domain(work, mine.index());
    else
      mine_now.lead(work, mine.index());
    base::tsan_gives(&mine_now.leased_);
    team_barrier::finish(mine, seen);
  }
}

void crew::lead(const barrier::task& work, std::uint32_t index) {
  // An OpenMP region is no loop: what starts in it is nested in nothing.
  const bool is_loop = work.who == barrier::attendance::whoever_comes;
  const inside_loop nested(is_loop ? &seats_[index]->me : nullptr, &seats_[work.first]->me.root);
  const barrier::branch mine{index, work.end};
  if (mine.size() == 1) {
    work.run(work, index - work.first);
    return;
  }
  // (4) relaxed; alone: see lease.cpp (2)
  barrier_with(busy_spin_ns_.load(sync::relaxed)).lead(mine, work);
}

// By the holder alone. The next team starts new ones.
void crew::end_workers() {
  // To each from here: who ends leads nobody.
  const barrier::tree flat = barrier::tree::flat();
  team_barrier(seats{*this}, flat).release({0, started_ + 1}, {});
  for (std::uint32_t w = 1; w <= started_; ++w) {
    pthread_join(seats_[w]->thread, nullptr);
  }
  started_ = 0;
  if (seats_[0]) seats_[0]->loops.reset();
}

void crew::count_caller() {
  if (counted || !caller_end_key_made) return;
  if (pthread_setspecific(caller_end_key, &callers) != 0) return;
  counted = true;
  // (5) relaxed; alone: a count; the lease orders what it stands for
  callers.fetch_add(1, sync::relaxed);
}

// At the end of one of the callers. A thread that takes the crew meanwhile counts
// itself before it gives it back, and comes here at its own end.
void crew::caller_ends(void*) {
  counted = false;
  give_back_stealer();
  // (6) relaxed; alone: as (5)
  if (callers.fetch_sub(1, sync::relaxed) != 1) return;
  end_idle_workers();
}

void crew::end_idle_workers() {
  const std::lock_guard locked(staffing_);
  for_all([](crew& c) {
    if (!c.try_take()) return;
    c.end_workers();
    c.give_back();
  });
}

// Ends the threads, unless a region is running: then the program is ending from
// within it, and its threads end with the process.
void crew::dismiss() {
  if (!try_take()) return;
  end_workers();
  dismissed_ = true;  // who still runs loops while the process ends runs them alone
  give_back();
}

// In the child only the thread that forked exists. The parent's threads, and
// whatever they were in the middle of, are left behind with their seats.
void crew::forget_after_fork() {
  ++generation_;
  for (std::uint32_t w = 1; w < most_workers; ++w) static_cast<void>(seats_[w].release());
  started_ = 0;
  ceiling_ = most_workers;
  if (seats_[0]) {  // which the end of a loop asks for that the forking thread is in
    static_cast<void>(seats_[0]->loops.release());
    seats_[0]->next_loop = 0;
    // (8) relaxed; alone: there is no other thread
    seats_[0]->verdict.store(0, sync::relaxed);
  }
  led = {};
  shape_ = barrier::tree::flat();  // another thread may have been about to change it
  // An inner team may be this thread's: its lease gives the crew back. Otherwise the crew is lost.
  if (number_ == 0) give_back();
}

void crew::at_load() {
  base::workers_alive = [] {
    bool any = false;
    for_all([&](const crew& c) {
      // (9) acquire; pairs with (3): what the last holder has started
      any = any || c.leased_.load(sync::acquire) != 0 || c.started_ != 0;
    });
    return any;
  };
  caller_end_key_made = pthread_key_create(&caller_end_key, caller_ends) == 0;
  if (getpid() == gettid()) count_caller();
  pthread_atfork(nullptr, nullptr, [] {
    // (7) relaxed; alone: there is no other thread
    callers.store(counted ? 1 : 0, sync::relaxed);
    forget_stealers();
    for_all([](crew& c) { c.forget_after_fork(); });
  });
}

void crew::at_unload() {
  // The code of caller_ends() may be unloaded.
  if (std::exchange(caller_end_key_made, false)) pthread_key_delete(caller_end_key);
  if (observe::enabled()) observe::write_at_exit(environment().threads);
  const std::lock_guard locked(staffing_);
  for_all([](crew& c) { c.dismiss(); });
}

// After at_unload(), if that has ended the threads.
const base::at_unload crew::free_([] {
  for (auto& c : crews_) c.drop();
  inner_made_ = 0;
});

}  // namespace doall::team
