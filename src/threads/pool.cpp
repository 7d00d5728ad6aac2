#include "threads/pool.hpp"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "base/arith.hpp"
#include "base/asymmetric_fence.hpp"
#include "base/env.hpp"
#include "base/fork.hpp"
#include "base/lazy.hpp"
#include "base/tsan.hpp"
#include "base/unload.hpp"
#include "sites/choices.hpp"

namespace doall::team {
namespace {

// Live threads for which the workers wait: those that have held the pool, and the main thread, so
// that a program whose loops are all in short-lived threads does not start its workers again for
// each. When the last one ends the workers end too: a main thread may leave by pthread_exit(), and
// the process must not live on for threads that will get no work. Workers, of any pool, never
// count, whatever loops their bodies run: they would wait for their own end.
sync::atomic<std::uint32_t> callers{0};
constinit thread_local bool counted = false;              // among callers
constinit thread_local bool has_waited_for_keys = false;  // at its end
constinit thread_local unsigned rounds_left = PTHREAD_DESTRUCTOR_ITERATIONS - 1;
pthread_key_t caller_end_key;
constinit sync::atomic<bool> caller_end_key_made{false};

// Threads at work up to which those that fall asleep together may each ask the kernel for a
// fence in all others (src/park/README.md).
constexpr std::uint32_t most_fenced_by_kernel = 16;

constexpr std::uint64_t runtime_stack = 64 << 10;  // a few KiB; several times as much in sanitizers

// While it lives, threads start with a worker's signal mask: that of the thread that starts it, as
// threads of other OpenMP runtimes have it, but without faults. These are the thread's own:
// blocked, they would end the process past any handler.
//
// doall uses no signal itself, so it blocks none. What profilers and debuggers send to each thread
// (SIGPROF and other timers', real-time signals, SIGUSR2) reaches workers. The kernel offers a
// signal that was sent to the process to the main thread first, and to another only if that one
// blocks it or has ended: so a handler runs in the main thread, as it would without workers, and a
// program that blocks a signal before its first loop, to wait for it (sigwait, signalfd), has it
// blocked everywhere.
class mask_of_workers {
 public:
  mask_of_workers() {
    pthread_sigmask(SIG_SETMASK, nullptr, &before_);
    sigset_t workers = before_;
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) {
      sigdelset(&workers, fault);
    }
    pthread_sigmask(SIG_SETMASK, &workers, nullptr);
  }
  ~mask_of_workers() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  mask_of_workers(const mask_of_workers&) = delete;
  mask_of_workers& operator=(const mask_of_workers&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

constinit thread_local bool pool::is_worker_ = false;
constinit thread_local bool pool::is_worker_at_end_ = false;
constinit std::array<base::lazy<pool>, most_pools> pool::pools_;
constinit std::array<sync::atomic<int>, most_workers> pool::verdicts_;
constinit base::lone_mutex pool::staffing_;
constinit park::futex_lock pool::ending_;
constinit sync::atomic<bool> pool::end_again_{false};
constinit bool pool::left_to_end_ = false;
constinit pool::staffing_in_forks pool::no_staffing;

namespace {

constinit thread_local int staffing_stops = 0;
[[maybe_unused]] const int forks_wait_for_staffing =
    base::free_in_children<pool::no_staffing>(base::fork_order::first);

}  // namespace

void pool::staffing_in_forks::lock_in_fork() {
  if (staffing_stops++ == 0) staffing_.lock_in_fork();
}
void pool::staffing_in_forks::unlock_in_fork() {
  if (--staffing_stops == 0) staffing_.unlock_in_fork();
}

pool& pool::shared() {
  return pools_[0].get([] { return pool(0); });
}

template <class Each>
void pool::for_all(Each each) {
  for (const auto& c : pools_) {
    pool* const made = c.if_made();
    if (made == nullptr) return;
    each(*made);
  }
}

// Makes threads and loop storage for a team of `wanted`; returns the size that it can have.
std::uint32_t pool::staff(std::uint32_t wanted) {
  if (wanted > ceiling_ && ++refused_ == teams_before_next_try) ceiling_ = most_workers;
  wanted = std::min(wanted, ceiling_);
  awaits_end_ = false;
  if (wanted > started_ + 1) {
    if (!slots_[0]) {
      trees_ = {};  // they refer to what comes next, which the child of a fork makes anew
      domain_starts_ = domain_starts(most_workers);
      at_[0] = (slots_[0] = std::make_unique<slot>(*this, 0, 0)).get();
    }
    left_worker last = left_worker::none;
    while (started_ + 1 < wanted) {
      last = keep_worker(started_ + 1);
      if (last == left_worker::ends) break;
      if (last == left_worker::none && !start_worker(started_ + 1, started_ + 1)) break;
      ++started_;
    }
    awaits_end_ = last == left_worker::ends;
    if (awaits_end_) {
      wanted = started_ + 1;
    } else if (started_ + 1 < wanted) {
      ceiling_ = wanted = started_ + 1;
      refused_ = 0;
    }
    take_home(0, nullptr);
  }
  if (wanted > 1) make_loops(0, wanted);
  return wanted;
}

// Makes storage for the loops of teams of that many workers, the first of which has that slot.
void pool::make_loops(std::uint32_t first, std::uint32_t workers) {
  slot& leader = *slots_[first];
  if (leader.loops && leader.loops->workers() >= workers) return;
  leader.loops = std::make_unique<loop_ring>(loop_ring::team_depth, workers);
}

bool pool::start_worker(std::uint32_t index, std::uint32_t pin) {
  std::unique_ptr<slot>& its = slots_[index];
  if (!its) {
    const auto after = std::ranges::upper_bound(domain_starts_, index);
    its = std::make_unique<slot>(*this, index,
                                 static_cast<std::uint32_t>(after - domain_starts_.begin()));
    at_[index] = its.get();
    if (number_ == 0) add_stealer(its->me);
  }
  if (pin >= most_fenced_by_kernel) base::make_all_fences_real();
  its->pin = its->home = pin;
  its->steals = number_ == 0;
  its->seen = team_barrier::seen_before(*its);
  its->who.begin();
  if (const int error = start_thread(its->thread, worker_main, its.get()); error != 0) {
    const std::string fewer = number_ == 0
                                  ? "teams have at most " + std::to_string(index) + " workers"
                                  : "teams inside of others have fewer workers";
    warn_of_refusal("thread " + std::to_string(pin + 1), error, fewer);
    return false;
  }
  return true;
}

// Returns an error number of pthread_create().
int pool::start_thread(pthread_t& made, void* (*main)(void*), void* its) {
  const mask_of_workers meanwhile;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (const auto bytes = stack_bytes(); bytes != 0) {
    // What was asked for is the program's; calls of the runtime need stack as well. Less than the
    // system's least, or more than there is: the default stays.
    const bool enough = bytes >= static_cast<std::uint64_t>(PTHREAD_STACK_MIN);
    if (enough) pthread_attr_setstacksize(&attributes, base::saturating_add(bytes, runtime_stack));
  }
  int error = pthread_create(&made, &attributes, main, its);
  pthread_attr_destroy(&attributes);
  // Try again with the system's usual stack: addresses may be scarce.
  if (error != 0) error = pthread_create(&made, nullptr, main, its);
  return error;
}

void pool::warn_of_refusal(const std::string& thread, int error, const std::string& fewer) {
  if (std::exchange(shared().warned_of_refusal_, true)) return;
  base::warn(thread + " could not be started (" + std::strerror(error) + "): " + fewer +
             " until one can be");
}

bool pool::count_caller() {
  if (counted || is_worker_) return counted;
  // (10) relaxed; alone: loading the library comes before all use of it
  if (!caller_end_key_made.load(sync::relaxed)) return false;
  if (pthread_setspecific(caller_end_key, &callers) != 0) return false;
  // (5) relaxed; alone: a count; the lease orders what it stands for
  callers.fetch_add(1, sync::relaxed);
  return counted = true;
}

// Called at the end of a caller, twice or, while it has groups, once more: the values of the
// thread's other keys may have loops to end, or groups of tasks (doall/compat, which ends them once
// and then begins no more), so they come first. A group that nobody ends is forgotten.
// A thread that takes the pool meanwhile counts itself before it gives it back, and comes here at
// its own end.
void pool::caller_ends(void*) {
  const stealer* const me = stealer_here();
  const bool has_groups = me != nullptr && me->here.innermost != &me->here.outermost;
  const bool waits = !std::exchange(has_waited_for_keys, true) || has_groups;
  // In the last round ThreadSanitizer has left the thread.
  if (waits && rounds_left > (base::tsan_watches() ? 1U : 0U)) {
    --rounds_left;
    if (pthread_setspecific(caller_end_key, &callers) == 0) return;
  }
  counted = false;
  keep_none();
  give_back_stealer();
  // (6) relaxed; alone: as (5)
  if (callers.fetch_sub(1, sync::relaxed) != 1) return;
  end_idle_workers_if_free();
}

void pool::start_workers(const stealer& of_this_thread) {
  count_caller();
  const lease started(
      steal::workers_of(&of_this_thread.root));  // and given back: they wait for work
}

// Whoever comes meanwhile waits until they have ended, for it may be about to unload their code.
// Not a worker at its own end, nor the last caller, for which one of these may wait. A fork waits
// for none of them: it may have what they want.
void pool::end_idle_workers() {
  if (is_worker_at_end_) return;
  ending_.lock(0);
  end_in_rounds();
  ending_.unlock();
  end_again();
}

void pool::end_idle_workers_if_free() {
  // (14) relaxed; alone: the fence in end_again() orders it
  end_again_.store(true, sync::relaxed);
  end_again();
}

// Either this thread sees who asked, or that one gets the lock: a fence on both sides.
void pool::end_again() {
  for (;;) {
    // (17) seq_cst; pairs with (17): as above
    sync::fence();
    // (15) relaxed; alone: as (14)
    if (!end_again_.load(sync::relaxed) || !ending_.try_lock()) return;
    // (16) relaxed; alone: as (14)
    end_again_.store(false, sync::relaxed);
    end_in_rounds();
    ending_.unlock();
  }
}

void pool::end_in_rounds() {
  // Cancelled in a join this thread would hold the lock for ever.
  int cancel_state = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  // What runs on a worker at its end may start others. As often as the C library looks for more.
  bool any = true;
  for (int round = 0; any && round < PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
    any = false;
    {
      const std::lock_guard locked(staffing_);
      for_all([&](pool& c) {
        if (left_to_end_ || !c.leased_.try_take(barrier::attendance::everyone)) return;
        any = any || c.started_ != 0;
        c.call_to_end();
        c.is_ending_ = true;
      });
    }
    for_all([](pool& c) {
      if (!c.is_ending_) return;
      c.join_ended();
      const std::lock_guard locked(staffing_);  // a fork finds all or nothing of it
      c.started_ = 0;
      c.is_ending_ = false;
      c.give_back();
    });
  }
  pthread_setcancelstate(cancel_state, nullptr);
}

// Called when the process ends: its workers stay as they are, asleep or at work, and end with it.
// If they were ended, they would run the program's thread_local destructors, when its static
// objects are gone already, and perhaps wait for a lock that the thread in exit() holds.
//
// So no lock is waited for here, either: exit() may have been called in a handler of a signal that
// came while this thread held it.
void pool::leave_to_end() {
  if (!base::tsan_watches()) return;
  // ThreadSanitizer reports threads that nobody will join, unless they are detached.
  const std::unique_lock locked(staffing_, std::try_to_lock);
  if (!locked) return;
  left_to_end_ = true;  // from now on they cannot be joined
  for_all([](pool& c) {
    if (!c.leased_.try_take(barrier::attendance::everyone)) return;
    for (const auto& s : c.slots_) {
      if (s && s->index() != 0 && (s->index() <= c.started_ || s->left_behind)) {
        pthread_detach(s->thread);
      }
    }
    c.give_back();
  });
}

// In the child only the thread that forked exists. The parent's threads, and all that they were in
// the middle of, are left behind with their slots.
void pool::forget_after_fork() {
  ++generation_;
  for (std::uint32_t w = 1; w < most_workers; ++w) static_cast<void>(slots_[w].release());
  started_ = left_behind_ = 0;
  ceiling_ = most_workers;
  // The loops of the forking thread's team are within the root of its leader's slot. So the pool's
  // next team, which another thread may lead before those have ended, is led from another slot:
  // what descends from a leader's root may be run by a leader that waits. An inner pool has no
  // other leader before this thread gives it back.
  if (number_ == 0 && slots_[0]) {
    slots_[0]->of_parent = std::move(parents_leader_);
    parents_leader_ = std::move(slots_[0]);
  } else if (slots_[0]) {
    static_cast<void>(slots_[0]->loops.release());
  }
  // (3) relaxed; alone: there is no other thread
  for (auto& v : verdicts_) v.store(0, sync::relaxed);
  led = {};
  shape_ = barrier::tree::flat();  // another thread may have been about to change it
  // An inner team may be this thread's: its lease gives the pool back. Otherwise the pool is lost,
  // but if the thread that had it was ending its workers.
  if (number_ == 0 || is_ending_) give_back();
  is_ending_ = false;
}

void pool::at_load() {
  base::workers_alive = [] {
    bool any = false;
    for_all([&](const pool& c) {
      any = any || c.leased_.is_taken() || c.started_ != 0 || c.left_behind_ != 0;
    });
    return any;
  };
  // (11) relaxed; alone: while the library is being loaded
  caller_end_key_made.store(pthread_key_create(&caller_end_key, caller_ends) == 0, sync::relaxed);
  if (getpid() == gettid()) count_caller();
  base::at_fork(nullptr, nullptr, [] {
    // (7) relaxed; alone: there is no other thread
    callers.store(counted ? 1 : 0, sync::relaxed);
    is_worker_ = is_worker_at_end_ = false;
    // (13) relaxed; alone: there is no other thread
    threads_beside_.store(0, sync::relaxed);
    teams_without_try_ = 0;
    forget_callers();
    count_caller();  // as the main thread is
    // (18) relaxed; alone: as (7)
    end_again_.store(false, sync::relaxed);
    if (ending_.try_lock())
      ending_.unlock();
    else
      new (&ending_) park::futex_lock;  // a thread that does not exist was ending the parent's
    forget_stealers();
    forget_own_placement();
    for_all([](pool& c) { c.forget_after_fork(); });
  });
}

void pool::at_unload() {
  // The code of caller_ends() may be unloaded. At the end of the process it is not, and threads may
  // be about to use the key.
  // (12) relaxed; alone: as (11)
  const bool is_made = caller_end_key_made.load(sync::relaxed);
  if (is_made && !base::process_ends()) pthread_key_delete(caller_end_key);
  if (observe::writes_at_exit()) observe::write_at_exit(environment().threads);
  write_choices_at_exit();
  if (base::process_ends()) {
    leave_to_end();
  } else {
    end_idle_workers();
  }
}

// After at_unload(), if that has ended the threads.
const base::at_unload pool::free_([] {
  for (auto& c : pools_) c.drop();
  inner_made_ = 0;
});

}  // namespace doall::team
