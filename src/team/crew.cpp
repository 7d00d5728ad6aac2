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
#include "base/tsan.hpp"
#include "topology/topology.hpp"

namespace doall::team {
namespace {

// After a thread could not be started: so many larger teams go without before the
// next try, which costs a system call or two.
constexpr std::uint32_t teams_before_next_try = 1000;

void pin_calling_thread(std::uint32_t index) {
  static const std::vector<int>& order = *new std::vector<int>(topology::pin_order());
  if (order.empty()) return;
  const int cpu = order[index % order.size()];
  cpu_set_t* set = CPU_ALLOC(cpu + 1);
  if (set == nullptr) return;
  const std::size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(cpu, bytes, set);
  sched_setaffinity(0, bytes, set);  // a refusal leaves the thread unpinned
  CPU_FREE(set);
}

// The crew, once a loop has asked for it.
sync::atomic<void*> in_use{nullptr};

// Live threads for which the workers wait: those that have held the crew, and the
// main thread, so that a program whose loops are all in short-lived threads does
// not start its workers again for each. When the last one ends the workers do:
// a main thread may leave by pthread_exit(), and the process must not live on for
// threads that nobody will give work.
sync::atomic<std::uint32_t> callers{0};
constinit thread_local bool counted = false;  // among callers
pthread_key_t caller_end_key;
bool caller_end_key_made = false;

void count_this_caller() {
  if (!caller_end_key_made || pthread_setspecific(caller_end_key, &callers) != 0) return;
  counted = true;
  // (12) relaxed; alone: a count; the lease orders what it stands for
  callers.fetch_add(1, sync::relaxed);
}

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

crew& crew::shared() {
  // Never destroyed by the language: loops may run while static objects die.
  // at_unload() ends the threads.
  static crew& c = [&]() -> crew& {
    static crew& made = *new crew;
    pthread_atfork(nullptr, nullptr, [] { made.forget_after_fork(); });
    // (5) release; pairs with (6), (11): they see the whole object
    in_use.store(&made, sync::release);
    return made;
  }();
  return c;
}

bool crew::try_take() {
  std::uint32_t nobody = 0;
  // (7) relaxed; alone: only spares (1) its attempt
  if (leased_.load(sync::relaxed) != 0) return false;
  // (1) acquire; pairs with (2): what the last holder left is visible
  return leased_.compare_exchange_strong(nobody, 1, sync::acquire, sync::relaxed);
}

// (2) release; pairs with (1): the next holder sees what this one left
void crew::give_back() { leased_.store(0, sync::release); }

crew::lease::lease(std::uint32_t wanted) {
  if (wanted <= 1) return;
  crew& c = crew::shared();
  if (!c.try_take()) return;
  if (!counted) count_this_caller();
  try {
    size_ = c.staff(std::min(wanted, most_workers));
  } catch (...) {  // no memory: the crew stays free for others
    c.give_back();
    throw;
  }
  if (size_ == 1) {
    c.give_back();
    return;
  }
  crew_ = &c;
  generation_ = c.generation_;
  const bool crowded = size_ > environment().cpus;
  spin_ns_ = crowded ? 0 : environment().busy_spin_ns;
  const std::uint64_t idle_spin_ns = crowded ? 0 : environment().idle_spin_ns;
  // (8) relaxed; alone: only the leaseholder writes it
  if (c.idle_spin_ns_.load(sync::relaxed) != idle_spin_ns) {
    // (3) relaxed; alone: a worker that reads the older value waits a little differently
    c.idle_spin_ns_.store(idle_spin_ns, sync::relaxed);
  }
}

crew::lease::~lease() {
  if (crew_ != nullptr && generation_ == crew_->generation_) crew_->give_back();
}

loop_ring& crew::lease::loops() const { return *crew_->loops_; }
std::uint64_t& crew::lease::next_loop() const { return crew_->next_loop_; }

void crew::lease::release(barrier::task work) {
  if (size_ == 1) return;
  work.fp = base::fp_state::of_this_thread();
  base::tsan_gives(&crew_->barrier_);
  crew_->barrier_.master_release([this](std::uint32_t w) -> seat& { return *crew_->seats_[w]; },
                                 size_, work);
}

void crew::lease::join() {
  // In the child of a fork inside the region the workers do not exist.
  if (size_ == 1 || generation_ != crew_->generation_) return;
  crew_->barrier_.master_join([this](std::uint32_t w) -> seat& { return *crew_->seats_[w]; }, size_,
                              spin_ns_);
  base::tsan_takes(&crew_->leased_);
}

// Threads and loop storage for a team of `wanted`; returns the size there is.
std::uint32_t crew::staff(std::uint32_t wanted) {
  if (dismissed_) return 1;
  if (wanted > ceiling_ && ++refused_ == teams_before_next_try) ceiling_ = most_workers;
  wanted = std::min(wanted, ceiling_);
  if (wanted > started_ + 1) {
    const all_signals_blocked quiet;
    while (started_ + 1 < wanted && start_worker(started_ + 1)) ++started_;
    if (started_ + 1 < wanted) {
      ceiling_ = wanted = started_ + 1;
      refused_ = 0;
    }
    if (environment().pinned) pin_calling_thread(0);
  }
  if (wanted > 1 && (!loops_ || loops_->workers() < wanted)) {
    loops_ = std::make_unique<loop_ring>(loop_ring::team_depth, wanted);
    next_loop_ = 0;
  }
  return wanted;
}

bool crew::start_worker(std::uint32_t index) {
  auto made = std::make_unique<seat>();
  made->owner = this;
  made->index = index;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (const auto bytes = environment().stack_bytes; bytes != 0) {
    pthread_attr_setstacksize(&attributes, bytes);  // too small a value: the default stays
  }
  const int error = pthread_create(&made->thread, &attributes, worker_main, made.get());
  pthread_attr_destroy(&attributes);
  if (error != 0) {
    if (!std::exchange(warned_of_refusal_, true)) {
      base::warn("thread " + std::to_string(index + 1) + " could not be started (" +
                 std::strerror(error) + "): teams have at most " + std::to_string(index) +
                 " workers until one can be");
    }
    return false;
  }
  seats_[index] = std::move(made);
  return true;
}

void* crew::worker_main(void* its_seat) {
  seat& mine = *static_cast<seat*>(its_seat);
  pthread_setname_np(pthread_self(), ("doall-" + std::to_string(mine.index)).c_str());
  if (environment().pinned) pin_calling_thread(mine.index);
  std::uint64_t seen = 0;
  for (;;) {
    const auto fp = base::fp_state::of_this_thread();  // a body may have changed it
    // (4) relaxed; alone: see (3)
    const std::uint64_t spin_ns = mine.owner->idle_spin_ns_.load(sync::relaxed);
    const barrier::task work = barrier::half_barrier::worker_wait(mine, seen, spin_ns);
    if (work.run == nullptr) return nullptr;
    base::tsan_takes(&mine.owner->barrier_);
    if (work.fp != fp) work.fp.load();
    work.run(work, mine.index);
    base::tsan_gives(&mine.owner->leased_);
    mine.owner->barrier_.worker_join(mine, seen);
  }
}

// By the holder alone. The next team starts new ones.
void crew::end_workers() {
  barrier_.master_release([this](std::uint32_t w) -> seat& { return *seats_[w]; }, started_ + 1,
                          {});
  for (std::uint32_t w = 1; w <= started_; ++w) {
    pthread_join(seats_[w]->thread, nullptr);
    seats_[w].reset();
  }
  started_ = 0;
  loops_.reset();
}

// At the end of one of the callers. A thread that takes the crew meanwhile counts
// itself before it gives it back, and comes here at its own end.
void crew::caller_ends(void*) {
  counted = false;
  // (9) relaxed; alone: as (12)
  if (callers.fetch_sub(1, sync::relaxed) != 1) return;
  // (11) acquire; pairs with (5): the whole object
  auto* made = static_cast<crew*>(in_use.load(sync::acquire));
  if (made == nullptr || !made->try_take()) return;
  made->end_workers();
  made->give_back();
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
  for (std::uint32_t w = 1; w <= started_; ++w) static_cast<void>(seats_[w].release());
  started_ = 0;
  ceiling_ = most_workers;
  static_cast<void>(loops_.release());
  new (&barrier_) barrier::half_barrier;
  // (13) relaxed; alone: there is no other thread
  verdict_.store(0, sync::relaxed);
  give_back();
}

void crew::at_load() {
  caller_end_key_made = pthread_key_create(&caller_end_key, caller_ends) == 0;
  if (getpid() == gettid()) count_this_caller();
  // (10) relaxed; alone: there is no other thread
  pthread_atfork(nullptr, nullptr, [] { callers.store(counted ? 1 : 0, sync::relaxed); });
}

void crew::at_unload() {
  // (6) acquire; pairs with (5): the whole object
  auto* made = static_cast<crew*>(in_use.load(sync::acquire));
  // The code of caller_ends() may be unloaded.
  if (std::exchange(caller_end_key_made, false)) pthread_key_delete(caller_end_key);
  if (observe::enabled()) observe::write_at_exit(environment().threads);
  if (made != nullptr) made->dismiss();
}

}  // namespace doall::team
