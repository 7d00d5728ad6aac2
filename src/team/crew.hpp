// The process's one set of worker threads, and how a caller borrows it.
//
// Threads are started when a team first wants them and stay: they wait for the
// next release, spinning for a while and then asleep. A caller leases the crew
// for one region: it becomes worker 0 and releases workers 1 to size - 1. While
// the crew is leased every other caller (another thread, or a loop inside the
// region itself) gets a team of one, that is, runs on its own: correct, and
// never waiting for a thread that waits for it.
//
// Teams inside of teams, for OpenMP's nested regions, have crews of their own, which are leased
// in the same way (inner_crews.cpp). All that is said of the crew elsewhere is of the shared one.
//
// The exception are the domains of a machine (fine-grain, section 3.3): the leaseholder
// may have the first worker of each NUMA domain run a part (run_on_domains), and a lease
// that such a part takes is of its domain's workers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "barrier/half_barrier.hpp"
#include "base/lazy.hpp"
#include "base/unload.hpp"
#include "park/patience.hpp"
#include "team/loop_ring.hpp"
#include "team/placement.hpp"
#include "team/settings.hpp"
#include "team/stealing.hpp"

namespace doall::team {

// The shared crew, number 0, and those of teams inside of teams.
inline constexpr std::uint32_t most_crews = 1024;

class crew {
 public:
  static crew& shared();

  // A thread that runs loops without a lease of its own.
  static void count_caller();

  // How long a thread spins before it sleeps, in teams as large as the last one.
  std::uint64_t busy_spin_ns() const;

  // Ends the workers, unless a team is at work; the next team starts new ones.
  static void end_idle_workers();

  // Nobody who waits in the present team of that crew spins from now on: threads of teams
  // inside of it want the CPUs.
  static void stop_spinning(std::uint32_t number);

  // What the first body to stop a loop has said, in loops that have no other place for
  // it; 0 before and, taken, afterwards. Of the team whose worker 0 has that seat.
  sync::atomic<int>& verdict(std::uint32_t first) { return seats_[first]->verdict; }

  // The tree of a team of so many workers, on a machine whose domains begin there.
  static barrier::tree shape_for(std::uint32_t workers,
                                 std::span<const std::uint32_t> domain_starts);

  class lease {
   public:
    // A team of `wanted` workers if they can be had, else of fewer, at least 1.
    explicit lease(std::uint32_t wanted);

    // The same inside of a team of the shared crew, for one of the threads that are at work
    // there, on other threads than these.
    struct inside {
      std::uint32_t threads_at_work;
    };
    lease(std::uint32_t wanted, inside team);
    ~lease();
    lease(const lease&) = delete;
    lease& operator=(const lease&) = delete;

    // Workers in the team, the caller included. 1: the crew was not taken.
    std::uint32_t size() const { return size_; }

    // How long a member of this team spins before it sleeps: not at all when
    // the team is larger than the CPUs it may use.
    std::uint64_t spin_ns() const { return spin_ns_; }

    // Of the crew whose threads they are. Only if size() > 1.
    std::uint32_t crew_number() const { return crew_->number_; }

    // Of the threads: the child of a fork has other ones than its parent.
    std::uint64_t generation() const { return generation_; }

    // The team's loops, and the number of the next one. Only if size() > 1.
    loop_ring& loops() const;
    std::uint64_t& next_loop() const;

    // The seat of worker 0.
    std::uint32_t first() const { return first_; }

    // work.run(work, w) begins on each worker w > 0.
    void release(const barrier::task& work);
    // Waits until they are done, or, for whoever comes, until all parts are.
    void join();

    // Both, and the caller's own part as worker 0 between them.
    void run(const barrier::task& work) {
      release(work);
      work_.run(work_, 0);
      join();
    }

    // Which of the NUMA domains that the team's workers lie in is a worker's, and how many
    // they are. Not for a team inside of a domain; nor is the next.
    std::uint32_t domain_of(std::uint32_t worker) const;
    std::uint32_t domains() const;

    // As release(), of the first worker of each domain alone, the caller among them: until
    // the join, a lease that one of them takes gets workers of its domain.
    void release_to_domains(const barrier::task& work);

    // Both, and the caller's own part between them.
    void run_on_domains(const barrier::task& work) {
      release_to_domains(work);
      work_.run(work_, 0);
      join();
    }

    // What the team's workers run is in this loop, for what they start in it. Only if size() > 1.
    steal::frame* loop() const;

    // Whether this thread is in a domain's part, or in a loop of it.
    static bool inside_domain() { return led.workers.size() != 0; }

   private:
    void begin(crew& taken, std::uint32_t threads_at_work);
    void take_domain(std::uint32_t wanted);
    void limit_loop() const;
    void meet_once_more();

    crew* crew_ = nullptr;
    std::uint32_t size_ = 1;
    std::uint32_t first_ = 0;
    std::uint64_t spin_ns_ = 0;
    std::uint64_t generation_ = 0;
    bool of_domain_ = false;      // its workers are a domain's, and not the crew's to give back
    bool leads_domains_ = false;  // between release_to_domains() and join()
    barrier::task work_;          // between release and join
  };

 private:
  // Seat 0 is the leaseholder's and has no thread. A seat stays when its thread ends: whoever
  // calls a sleeper may be about to open its gate.
  struct seat : barrier::half_barrier_seat {
    seat(crew& of, std::uint32_t index, std::uint32_t domain)
        : me(index, domain), owner_(&of), index_(index) {}

    // Where it is. The seats of inner crews move, between two tasks: its worker, which waits
    // for the next, may go by where it was, or by where it is before that crew has a task for it.
    crew& of() const {
      // (1) acquire; pairs with (3): the crew may be made after its worker's last task
      return *owner_.load(sync::acquire);
    }
    std::uint32_t index() const {
      // (2) relaxed; alone: the next task's offer publishes a move
      return index_.load(sync::relaxed);
    }
    void move_to(crew& of, std::uint32_t index) {
      // (3) release; pairs with (1): the whole crew
      owner_.store(&of, sync::release);
      // (4) relaxed; alone: as (2)
      index_.store(index, sync::relaxed);
    }

    std::uint64_t seen = 0;  // the last offer before its thread
    std::uint32_t pin = 0;   // the thread's number among those that are pinned
    pthread_t thread{};
    stealer me;       // of the thread; of seat 0, its root alone
    placement place;  // of the thread
    sync::atomic<int> verdict{0};

    // Of the teams that this seat's worker leads.
    std::unique_ptr<loop_ring> loops;
    std::uint64_t next_loop = 0;

   private:
    sync::atomic<crew*> owner_;
    sync::atomic<std::uint32_t> index_;
  };

  struct seats {
    crew& of;
    std::uint64_t spin_ns = 0;
    barrier::half_barrier_seat& operator()(std::uint32_t w) const { return *of.seats_[w]; }
    template <class Ready>
    void wait_for(std::uint32_t w, Ready ready) const {
      of.wait_for(*of.seats_[w], ready, spin_ns);
    }
  };
  using team_barrier = barrier::half_barrier<seats>;

  // The branch of a domain whose leader this thread is, while it may lease it.
  struct led_domain {
    crew* of;
    barrier::branch workers;
  };
  static constinit thread_local led_domain led;

  // After a thread could not be started: so many larger teams go without before the
  // next try, which costs a system call or two.
  static constexpr std::uint32_t teams_before_next_try = 1000;

  explicit crew(std::uint32_t number) : number_(number) {}

  // Calls each(c) for all crews that there are.
  template <class Each>
  static void for_all(Each each);

  bool try_take();
  void give_back();
  std::uint32_t staff(std::uint32_t wanted);
  void make_loops(std::uint32_t first, std::uint32_t workers);
  bool start_worker(std::uint32_t index, std::uint32_t pin);
  static crew* take_inner(std::uint32_t wanted, std::uint32_t threads_at_work);
  static crew* find_inner();
  static crew& make_inner();
  void staff_inner(std::uint32_t wanted, std::uint32_t threads_at_work);
  bool take_over_from(crew& other);
  void recruit(std::uint32_t wanted);
  static void* worker_main(void* its_seat);
  void lead(const barrier::task& work, std::uint32_t index);
  void lead_domain(const barrier::task& work, std::uint32_t index);
  led_domain domain_led_by(std::uint32_t index, const barrier::task& work);
  void take_shape(const barrier::tree& shape);
  team_barrier barrier_with(std::uint64_t spin_ns) { return {seats{*this, spin_ns}, shape_}; }
  template <class Ready>
  void wait_for(seat& worker, Ready ready, std::uint64_t spin_ns);
  template <class Ready>
  bool spin_while_it_runs(seat& worker, Ready ready, std::uint64_t spin_ns);
  template <class Ready>
  void wait_for_work(seat& mine, park::patience& patience, Ready ready);
  void end_workers();
  void dismiss();
  static void caller_ends(void*);
  void forget_after_fork();
  static void at_load() __attribute__((constructor));
  static void at_unload() __attribute__((destructor));

  static std::array<base::lazy<crew>, most_crews> crews_;
  static const base::at_unload free_;

  // Held by who makes inner crews, moves their threads, or ends threads. No fork happens
  // meanwhile.
  static std::mutex staffing_;
  static const int forks_wait_;
  static std::uint32_t inner_made_;  // crews 1 to inner_made_ are there

  const std::uint32_t number_;
  sync::atomic<std::uint32_t> leased_{0};
  std::uint64_t generation_ = 0;  // of threads: a forked child begins the next
  std::uint32_t started_ = 0;     // workers 1 to started_ have threads
  std::uint32_t ceiling_ = most_workers;
  std::vector<std::uint32_t> domain_starts_;  // seats with which a domain begins
  std::uint32_t refused_ = 0;                 // teams cut short since a thread could not be started
  bool warned_of_refusal_ = false;
  bool dismissed_ = false;  // for good: the process ends

  // Lines that workers read in every loop and hardly anybody writes: apart from what
  // the leaseholder writes in every loop.
  alignas(base::apart_bytes) sync::atomic<std::uint64_t> idle_spin_ns_{0};
  sync::atomic<std::uint64_t> busy_spin_ns_{0};
  sync::atomic<int> launched_on_{-1};  // the CPU; of no pinned team
  barrier::tree shape_ = barrier::tree::flat();
  std::array<std::unique_ptr<seat>, most_workers> seats_;
};

}  // namespace doall::team
