// The process's thread pool, and how a caller leases it.
//
// The pool starts threads when a team first wants them, and keeps them: they wait for the next
// release, spinning for a while and then asleep. A caller leases the pool for one region: it
// becomes worker 0 and releases workers 1 to size - 1. While the pool is leased every other loop
// (another thread's, or inside the region) gets a team of one, that is, runs on its own: it never
// waits for a thread that waits for it. An OpenMP region's caller leases an inner pool instead, and
// each caller with regions but the first, which owns the shared pool for its own, always does.
//
// NUMA domains are the exception (fine-grain, section 3.3): the leaseholder may have the first
// worker of each domain run a part (run_on_domains), and a lease that such a part takes gets its
// domain's workers.
//
// Teams inside teams, for OpenMP's nested regions, and teams beside the shared pool's have pools of
// their own, leased in the same way (inner_pools.cpp). Elsewhere "the pool" means the shared one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "barrier/half_barrier.hpp"
#include "base/fork.hpp"
#include "base/lazy.hpp"
#include "base/tsan.hpp"
#include "base/unload.hpp"
#include "loops/loop_ring.hpp"
#include "park/futex_lock.hpp"
#include "park/patience.hpp"
#include "settings/settings.hpp"
#include "threads/caller_mark.hpp"
#include "threads/placement.hpp"
#include "threads/presence.hpp"
#include "threads/stealing.hpp"

namespace doall::team {

// The shared pool, number 0, and those of teams inside teams.
inline constexpr std::uint32_t most_pools = 1024;

class pool {
 public:
  // A fork waits until no thread staffs a pool. Whoever does may join workers, which take other
  // locks when they begin and end: so each library that has such locks takes this one first, and
  // the handlers of several may do it in one fork.
  struct staffing_in_forks {
    void lock_in_fork();
    void unlock_in_fork();
  };
  static staffing_in_forks no_staffing;

  static pool& shared();

  // Counts this thread as a caller, which keeps the workers alive. For one that runs loops without
  // a lease. Returns whether it is counted.
  static bool count_caller();

  // Starts threads for as many workers as may join the open loops of this thread, a caller.
  static void start_workers(const stealer& of_this_thread);

  // How a thread spins before it sleeps, in teams as large as the last one.
  park::spin_bound busy_spin() const;

  // Ends the workers, unless a team is at work; the next team starts new ones.
  static void end_idle_workers();

  // From now on threads that wait in the present team of that pool take turns: threads of teams
  // inside it want the CPUs.
  static void take_turns(std::uint32_t number);

  // What the first body to stop a loop returned, in loops that have no other place for it; 0 before
  // and, once taken, afterwards. For the team whose worker 0 has that slot.
  static sync::atomic<int>& verdict(std::uint32_t first) { return verdicts_[first]; }

  class lease {
   public:
    // Leases a team of `wanted` workers, or of fewer if there are no more, at least 1. `who`:
    // everyone, if any of the lease's tasks is for everyone.
    explicit lease(std::uint32_t wanted,
                   barrier::attendance who = barrier::attendance::whoever_comes);

    // The same for one of the threads that are at work in a team of that pool, on others than
    // these.
    struct inside {
      std::uint32_t threads_at_work;
    };
    lease(std::uint32_t wanted, inside team);

    // For a region in no other: else, or beyond the domain that it leads, an inner pool's workers.
    // Dynamic: it may have fewer, or other ones than the caller's last region.
    struct else_beside {
      std::uint32_t workers;
      bool beyond_domain = false;
      bool dynamic = false;
    };
    lease(std::uint32_t wanted, else_beside team);
    ~lease();
    lease(const lease&) = delete;
    lease& operator=(const lease&) = delete;

    // Workers in the team, including the caller. 1: the pool was not taken.
    std::uint32_t size() const { return size_; }

    // How a member of this team spins before it sleeps: in turns if more threads are at work than
    // there are CPUs.
    park::spin_bound spin() const { return spin_; }

    // The number of the pool that has the threads. Only if size() > 1.
    std::uint32_t pool_number() const { return pool_->number_; }
    // Whether the caller could not have the shared one.
    bool is_beside() const { return is_beside_; }

    // The generation of the threads: the child of a fork has other ones than its parent.
    std::uint64_t generation() const { return generation_; }

    // The team's loops. Only if size() > 1.
    loop_ring& loops() const;

    // The slot of worker 0.
    std::uint32_t first() const { return first_; }

    // Whether its workers are a domain's: others may lease other domains of the pool meanwhile.
    bool of_domain() const { return of_domain_; }

    // How the team meets in a full barrier, by slots; flat: its arrivals are counted.
    const barrier::tree& meeting() const { return meeting_; }

    // Has each worker w > 0 begin work.run(work, w).
    void release(const barrier::task& work) {
      barrier::copy_fields(work, work_);
      release_own();
    }
    // Waits until they are done or, in a task for whoever comes, until all parts are.
    void join();

    // Called when the last task for everyone is released: workers whose part is done may steal
    // elsewhere. In a team whose members release one another, each member ends its own call, or,
    // as long as no thread in the process has begun to steal, the end of the lease does.
    void has_called();

    // Releases, runs the caller's part as worker 0, and joins.
    void run(const barrier::task& work) {
      release(work);
      work_.run(work_, 0);
      join();
    }

    // A worker's NUMA domain, among those in which the team's workers are, and how many these are.
    // Not for a team inside a domain; nor is the next.
    std::uint32_t domain_of(std::uint32_t worker) const;
    std::uint32_t domains() const;

    // As release(), but only the first worker of each domain, including the caller. Until the join,
    // a lease that one of them takes gets workers of its domain.
    void release_to_domains(const barrier::task& work);

    // Releases to domains, runs the caller's own part, and joins.
    void run_on_domains(const barrier::task& work) {
      release_to_domains(work);
      has_called();
      work_.run(work_, 0);
      join();
    }

    // The loop in which the team's workers run: loops that they start nest in it. Only if
    // size() > 1.
    steal::frame* loop() const;

    // Workers of this thread's domain, if it is in a domain's part or in a loop of it; else 0.
    static std::uint32_t domain_workers() { return led.workers.size(); }

   private:
    void release_own();
    void begin(pool& taken, std::uint32_t threads_at_work, barrier::attendance who);
    bool take_shared(std::uint32_t wanted, barrier::attendance who, std::uint32_t beside = 0);
    void take_domain(std::uint32_t wanted, barrier::attendance who);
    bool take_beside(const else_beside& team, bool keeps);
    void take_inner_team(std::uint32_t wanted, std::uint32_t threads_at_work, bool keeps);
    void limit_loop() const;
    void meet_once_more();
    bool pass_calls_on();
    void end_held_call();
    std::uint32_t fill_slots(pool& c, std::uint32_t size);
    void send_back(pool& c);

    pool* pool_ = nullptr;
    std::uint32_t size_ = 1;
    std::uint32_t first_ = 0;
    park::spin_bound spin_;
    std::uint64_t generation_ = 0;
    barrier::tree meeting_ = barrier::tree::flat();
    bool meets_twice_ = false;    // full barriers, where half-barriers would do
    bool of_domain_ = false;      // its workers are a domain's: the pool is not given back
    bool is_beside_ = false;      // its threads are among threads_beside_
    bool leads_domains_ = false;  // between release_to_domains() and join()
    bool calls_everyone_ = false;
    bool members_call_ = false;    // members pass the release on, and each has a call of its own
    bool holds_call_ = false;      // the call lasts until the lease ends
    pool* substitutes_ = nullptr;  // leased, too; its first threads are in the place of others
    barrier::task work_;           // between release and join
  };

 private:
  // A worker slot. Slot 0 is the leaseholder's and has no thread. A slot stays when its thread
  // ends, for a thread that calls its sleeper may be about to open its gate.
  struct slot : barrier::half_barrier_slot {
    slot(pool& of, std::uint32_t index, std::uint32_t domain)
        : me(index, domain), owner_(&of), index_(index) {}

    // Its pool and its index there. Slots of inner pools move between two tasks. The worker, which
    // waits for its next task, may see the old place, or the new one before that pool has a task.
    pool& of() const {
      // (1) acquire; pairs with (3): the pool may be made after its worker's last task
      return *owner_.load(sync::acquire);
    }
    std::uint32_t index() const {
      // (2) relaxed; alone: the next task's offer publishes a move
      return index_.load(sync::relaxed);
    }
    void move_to(pool& of, std::uint32_t index) {
      // (3) release; pairs with (1): the whole pool
      owner_.store(&of, sync::release);
      // (4) relaxed; alone: as (2)
      index_.store(index, sync::relaxed);
    }

    // Written before the thread begins: the last offer there, its number among those that are
    // pinned, and whether it steals (in other pools than the shared one numbers are not their own).
    std::uint64_t seen = 0;
    std::uint32_t pin = 0;
    bool steals = false;

    std::uint32_t home = 0;  // whose place the thread takes before its next task
    pthread_t thread{};
    bool left_behind = false;    // it was away when the others were ended
    stealer me;                  // of the thread; in slot 0 only its root is used
    placement place;             // of the thread
    bool beside_others = false;  // it found other programs on its CPUs as it last waited here

    presence who;                    // used in the shared pool
    std::uint64_t awaited_stay = 0;  // of the worker's, the last for whose end a leader has waited
    bool was_left = false;           // the leaseholder has found it empty, and counted it

    // Where it was as it ended its last part of a region: as long as it is there, its thread may
    // help that region's team.
    const pool* helped_of = nullptr;
    std::uint32_t helped_index = 0;

    std::unique_ptr<loop_ring> loops;  // of the teams that this slot's worker leads
    std::unique_ptr<slot> of_parent;   // of a leader's from before a fork: the one before that

   private:
    sync::atomic<pool*> owner_;
    sync::atomic<std::uint32_t> index_;
  };

  struct left_by_fork {};
  struct slots {
    pool& of;
    park::spin_bound spin;
    bool helps = false;      // a thread that waits steals parts of its own loop's descendants
    std::uint64_t born = 0;  // the pool's generation when the thread began to release or join
    barrier::half_barrier_slot& operator()(std::uint32_t w) const { return *of.at_[w]; }
    template <class Ready>
    void wait_for(std::uint32_t w, Ready ready) const {
      if (of.generation_ != born) throw left_by_fork();  // in a part for which it stood in
      if (!ready()) of.wait_for(*of.at_[w], ready, *this);
      base::tsan_takes(&of.leased_);
    }
  };
  using team_barrier = barrier::half_barrier<slots>;

  // The branch of the domain that this thread leads, while it may lease it.
  struct led_domain {
    pool* of;
    barrier::branch workers;
  };
  static constinit thread_local led_domain led;
  static constinit thread_local bool is_worker_;         // a pool has started this thread
  static constinit thread_local bool is_worker_at_end_;  // it runs the program's destructors

  // After a thread could not be started, this many larger teams do without it before the next try,
  // which costs a system call or two.
  static constexpr std::uint32_t teams_before_next_try = 1000;

  explicit pool(std::uint32_t number) : number_(number) {}
  // Calls each(c) for all pools that have been made.
  template <class Each>
  static void for_all(Each each);

  static_assert(most_workers <= lease_word::most_calls);  // a worker has at most one

  bool try_take() { return leased_.try_take(barrier::attendance::whoever_comes); }
  void give_back() { leased_.give_back(); }
  std::uint32_t staff(std::uint32_t wanted);
  void make_loops(std::uint32_t first, std::uint32_t workers);
  bool start_worker(std::uint32_t index, std::uint32_t pin);
  static int start_thread(pthread_t& made, void* (*main)(void*), void* its);
  static void warn_of_refusal(const std::string& thread, int error, const std::string& fewer);
  static bool own_shared();
  static void keep_none();
  static void forget_callers();
  static pool* take_inner(std::uint32_t wanted, std::uint32_t threads_at_work, bool keeps);
  static pool* find_inner(std::uint32_t last, bool keeps);
  static pool& make_inner();
  void staff_inner(std::uint32_t wanted, std::uint32_t threads_at_work);
  bool take_over_from(pool& other);
  void recruit(std::uint32_t wanted, bool from_kept);
  void give_to_reserve(std::uint32_t wanted);
  static void* worker_main(void* its_slot);
  static bool may_help(const slot& mine);
  static void work_on_task(slot& at, const barrier::task& work, const base::fp_state& fp);
  bool wait_or_steal(slot& mine, park::patience& patience, std::uint64_t& seen);
  enum class attempt;
  class idle_bed;
  attempt try_to_steal(slot& mine, std::uint64_t& seen);
  static bool is_left(slot& s);
  enum class left_worker { none, kept, ends };
  left_worker keep_worker(std::uint32_t index);
  void lead(const barrier::task& work, std::uint32_t index);
  void lead_domain(const barrier::task& work, std::uint32_t index);
  bool join_others(park::spin_bound spin, barrier::branch mine, const barrier::task& work);
  led_domain domain_led_by(std::uint32_t index, const barrier::task& work);
  void take_shape(const barrier::tree& shape);
  team_barrier barrier_with(park::spin_bound spin, barrier::attendance who) {
    return {slots{*this, spin, who == barrier::attendance::whoever_comes, generation_}, shape_};
  }
  template <class Ready>
  void wait_for(slot& awaited, Ready ready, const slots& how);
  template <class Ready>
  bool spin_while_it_runs(slot& awaited, Ready ready, std::uint64_t spin_ns);
  template <class Ready, class OrReady, class... Bed>
  void wait_at(slot& at, const placement& place, park::patience& patience, Ready ready,
               OrReady or_ready, const Bed&... bed);
  static void end_idle_workers_if_free();
  static void end_again();
  static void end_in_rounds();
  void call_to_end();
  void join_ended();
  static void leave_to_end();
  static void caller_ends(void*);
  void forget_after_fork();
  static void at_load() __attribute__((constructor));
  static void at_unload() __attribute__((destructor));

  static std::array<base::lazy<pool>, most_pools> pools_;
  static const base::at_unload free_;
  static std::array<sync::atomic<int>, most_workers> verdicts_;

  // Held to make inner pools, move their threads, or take pools to end their threads. No fork
  // happens meanwhile. Its holder waits for no thread.
  static base::lone_mutex staffing_;
  static park::futex_lock ending_;          // held by who ends workers
  static sync::atomic<bool> end_again_;     // a caller's end has found it held
  static std::uint32_t inner_made_;         // pools 1 to inner_made_ are there
  static std::uint32_t teams_without_try_;  // inner ones, before the next try to start a thread
  static bool left_to_end_;                 // the process ends, and its workers with it
  static sync::atomic<std::uint32_t> threads_beside_;  // in teams beside the shared pool's
  static caller_mark owner_;  // the caller whose regions have the shared pool

  const std::uint32_t number_;
  lease_word leased_;
  std::uint64_t generation_ = 0;  // of threads: a forked child begins the next
  std::uint32_t started_ = 0;     // workers 1 to started_ have threads
  std::uint32_t ceiling_ = most_workers;
  std::vector<std::uint32_t> domain_starts_;  // the first slot of each domain
  // Of the last team, for the next one is usually as large.
  struct {
    std::uint32_t size = 0;
    bool crowded = false;
    barrier::tree release = barrier::tree::flat();
    barrier::tree meeting = barrier::tree::flat();
  } trees_;
  std::uint32_t refused_ = 0;  // teams cut short since a thread could not be started
  bool warned_of_refusal_ = false;
  caller_mark keeper_;             // the caller that keeps this inner pool for its regions
  std::uint32_t quiet_looks_ = 0;  // of its leaders, that found the shared pool free
  std::uint32_t left_behind_ = 0;  // workers that were away when the others were ended
  bool awaits_end_ = false;        // the last team lacks one of these, which has not ended yet
  bool is_ending_ = false;         // ending_'s holder has it, and joins its workers

  // Workers read these lines in every loop, and they hardly ever change: kept apart from what the
  // leaseholder writes in every loop.
  alignas(base::apart_bytes) sync::atomic<park::spin_bound> idle_spin_{};
  sync::atomic<park::spin_bound> busy_spin_{};
  sync::atomic<int> launched_on_{-1};         // the CPU; of no pinned team
  sync::atomic<std::uint32_t> last_size_{1};  // of the shared pool's last team
  sync::atomic<bool> stealing_begun_{false};  // a worker has left its slot, or is about to
  barrier::tree shape_ = barrier::tree::flat();
  std::array<std::unique_ptr<slot>, most_workers> slots_;
  std::array<slot*, most_workers>
      at_{};  // where each worker's offers are made: slots_, or in their place
  std::unique_ptr<slot> parents_leader_;  // in the child of a fork: slot 0 before it
};

}  // namespace doall::team
