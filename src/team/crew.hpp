// The process's one set of worker threads, and how a caller borrows it.
//
// Threads are started when a team first wants them and stay: they wait for the
// next release, spinning for a while and then asleep. A caller leases the crew
// for one region: it becomes worker 0 and releases workers 1 to size - 1. While
// the crew is leased every other caller (another thread, or a loop inside the
// region itself) gets a team of one, that is, runs on its own: correct, and
// never waiting for a thread that waits for it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "barrier/half_barrier.hpp"
#include "team/loop_ring.hpp"
#include "team/settings.hpp"

namespace doall::team {

class crew {
 public:
  static crew& shared();

  // What the first body to stop a loop has said, in loops that have no other place for
  // it; 0 before and, taken, afterwards. Of the team that holds the crew.
  sync::atomic<int>& verdict() { return verdict_; }

  class lease {
   public:
    // A team of `wanted` workers if they can be had, else of fewer, at least 1.
    explicit lease(std::uint32_t wanted);
    ~lease();
    lease(const lease&) = delete;
    lease& operator=(const lease&) = delete;

    // Workers in the team, the caller included. 1: the crew was not taken.
    std::uint32_t size() const { return size_; }

    // How long a member of this team spins before it sleeps: not at all when
    // the team is larger than the CPUs it may use.
    std::uint64_t spin_ns() const { return spin_ns_; }

    // Of the threads: the child of a fork has other ones than its parent.
    std::uint64_t generation() const { return generation_; }

    // The team's loops, and the number of the next one. Only if size() > 1.
    loop_ring& loops() const;
    std::uint64_t& next_loop() const;

    // work.run(work, w) begins on each worker w > 0.
    void release(barrier::task work);
    // Waits until they are done.
    void join();

    // Both, and the caller's own part as worker 0 between them.
    void run(barrier::task work) {
      release(work);
      work.run(work, 0);
      join();
    }

   private:
    crew* crew_ = nullptr;
    std::uint32_t size_ = 1;
    std::uint64_t spin_ns_ = 0;
    std::uint64_t generation_ = 0;
  };

 private:
  struct seat : barrier::half_barrier_seat {
    crew* owner = nullptr;
    std::uint32_t index = 0;
    pthread_t thread{};
  };

  crew() = default;

  bool try_take();
  void give_back();
  std::uint32_t staff(std::uint32_t wanted);
  bool start_worker(std::uint32_t index);
  static void* worker_main(void* its_seat);
  void end_workers();
  void dismiss();
  static void caller_ends(void*);
  void forget_after_fork();
  static void at_load() __attribute__((constructor));
  static void at_unload() __attribute__((destructor));

  sync::atomic<std::uint32_t> leased_{0};
  std::uint64_t generation_ = 0;  // of threads: a forked child begins the next
  std::uint32_t started_ = 0;     // workers 1 to started_ have threads
  std::uint32_t ceiling_ = most_workers;
  std::uint32_t refused_ = 0;  // teams cut short since a thread could not be started
  bool warned_of_refusal_ = false;
  bool dismissed_ = false;  // for good: the process ends
  std::uint64_t next_loop_ = 0;
  barrier::half_barrier barrier_;

  // Lines that workers read in every loop and hardly anybody writes: apart from what
  // the leaseholder writes in every loop.
  alignas(base::apart_bytes) sync::atomic<std::uint64_t> idle_spin_ns_{0};
  sync::atomic<int> verdict_{0};
  std::array<std::unique_ptr<seat>, most_workers> seats_;
  std::unique_ptr<loop_ring> loops_;
};

}  // namespace doall::team
