// Where a worker's thread runs when other programs want its CPU.
//
// Linux keeps a thread that another program has preempted in its CPU's queue, for whole time
// slices, even while the CPU of the thread that waits for it falls idle. Two steps repair that,
// both measured (docs/investigations, a busy CPU):
//
// - A thread that has waited long enough for a worker that has not run meanwhile *pulls* it: it
//   moves the worker to the queue of its own CPU and goes to sleep, so that the worker runs there
//   immediately. Afterwards it sends the worker away again.
// - An idle worker that finds itself on the CPU from which its team was launched *evades*: it would
//   keep the launcher from running.
//
// Where other programs want several CPUs (park/contention.hpp), the opposite serves: threads that
// sleep hand one CPU to each other, and on two CPUs each handover may wait for a time slice. There
// neither step is made, and an idle worker that finds this out *follows* its launcher to its CPU.
//
// None moves a thread out of its worker's NUMA domain, where its memory is. A waiter in another
// domain sleeps without pulling, and a thread evades to its own domain's other CPUs.
//
// Only doall's own threads are moved, never the user's, and only while a thread may run where it
// could when it started: if the program has changed that since, it is left alone. If the kernel
// refuses, nothing happens.
//
// No code of the program runs while its thread's CPUs are changed, not even for the moment between
// two system calls: a thread that it starts in that moment would keep the CPUs, and what it sets
// would be undone. So a thread is moved by others only while it *rests*, that is, waits for its
// next task:
//
//   the thread, before the program's code        a thread that moves it
//   (a) no longer rests                          (d) takes the lock below
//   (b) light fence                              (e) heavy fence
//   (c) waits until nobody has the lock          (f) it does not rest: gives the lock back
//
// Either (c) sees the lock, or (f) sees that the thread does not rest (src/park/README.md).
//
// So a thread that another program preempts in the program's code stays where it is for that
// program's time slice, and its team waits. It is better preempted while it rests: a loop's leader
// then does without it, and a region's pulls it. So between two tasks it *gives its turn* once it
// has run for about a time slice: it yields its CPU, which costs nothing where nobody wants it.
//
// Places. Where the environment names places (settings.hpp), a worker begins on the one that its
// number gives: its home. A region may move it to another (omp/thread_places.hpp); a native loop
// has it back at home, because workers' numbers stand for CPUs there, and for NUMA domains. Moving
// changes what the two steps above take for the thread's CPUs, so it excludes them, by a lock that
// is held for a few system calls. A step that finds it taken does nothing; the thread waits for the
// step to end. A worker whose place does not change pays a comparison.
// What was measured, and what did not work: docs/investigations/2026-11-22-a-busy-cpu.md.
#pragma once

#include <pthread.h>

#include <array>
#include <cstdint>
#include <ctime>
#include <span>
#include <vector>

#include "base/sync.hpp"
#include "threads/resting.hpp"

namespace doall::team {

// A set of CPUs, in the kernel's form. Allocates nothing, for it is used in a join.
class cpu_mask {
 public:
  static constexpr int most_cpus = 8192;  // of a Linux kernel

  // The CPUs that a thread, 0 for the calling one, may run on; none when the kernel does not tell.
  static cpu_mask of_thread(pid_t id);
  static cpu_mask only(int cpu);
  static cpu_mask of_cpus(std::span<const int> cpus);

  bool has(int cpu) const;
  bool has_several() const;
  cpu_mask without(int cpu) const;
  cpu_mask within(std::span<const int> cpus) const;
  bool operator==(const cpu_mask&) const = default;

  // Lets a thread run on these CPUs alone.
  bool apply_to(pid_t id) const;

 private:
  std::array<unsigned long, most_cpus / 8 / sizeof(unsigned long)> words_{};
};

class placement {
 public:
  // Called by the thread itself, a worker in a domain with these CPUs; none: the machine has one
  // domain. Until then used_ns() is 0.
  void of_this_thread(std::span<const int> domain);

  // CPU time that the thread has used, in ns; 0 when the kernel does not tell. Any thread.
  std::uint64_t used_ns() const;

  // Called by the thread itself. Between the two it runs no code of the program, and others may
  // move it. When rise() returns the thread is where it was.
  void rest() const { rests_.rest(); }
  void rise() const { rests_.rise(); }

  // Called by the thread itself, at rest and with nothing to do.
  void give_turn() const;

  // Pulls the thread if it rests; returns whether it moved. Called by another thread, which has
  // seen used_ns() other than 0, and which then sleeps until the work is done.
  bool pull() const;

  // Called by that other thread, when the work is done and it has its CPU again. Does nothing if
  // the thread does not rest.
  void send_away() const;

  // Moves away from the CPU, and to the CPU. Called by the thread itself.
  void evade(int cpu) const;
  void follow(int cpu) const;

  // Moves to these CPUs. Called by the thread itself.
  void move(const cpu_mask& to);

 private:
  // Whether the thread may still run where it could at first, and on another CPU than that.
  bool may_leave(int cpu) const;
  void leave(int cpu) const;
  bool go_to(int cpu) const;

  pid_t id_ = 0;
  sync::atomic<clockid_t> clock_{};
  mutable std::uint64_t since_ns_ = 0;   // it may have run since then; the thread's own
  mutable std::uint64_t rested_ns_ = 0;  // when it last rested; likewise
  mutable resting rests_;                // held to read or change what follows
  cpu_mask home_;                        // where it may run
  cpu_mask domain_;                      // CPUs near its memory
};

// The number of no place, for a thread that is bound to none.
inline constexpr std::int32_t no_place = -1;

// Binds the calling thread, the worker of that number or the leader as worker 0, to its home, if
// there are places. `own`: what others move it by; null: it is the program's.
void take_home(std::uint32_t worker, placement* own);

// Where the calling thread is bound.
std::int32_t place_here();

// Binds the calling thread to the place of that number, unless it is there.
void move_to_place(std::int32_t place);

// Gives the calling thread, one of the program's, these CPUs; it is bound to no place then.
void leave_place(std::span<const int> cpus);

// In the child of a fork: no other thread moves this one, nor was in the middle of it.
void forget_own_placement();

// Moves a worker home from where a region has moved it.
extern constinit sync::atomic<bool> threads_moved;  // away from home, any thread, ever
void return_home();
inline void go_home() {
  // (3) relaxed; alone: a thread that is not at home has set it itself, (4)
  if (threads_moved.load(sync::relaxed)) [[unlikely]]
    return_home();
}

// The first worker of each NUMA domain, as topology::domain_starts() has it, by the homes of the
// workers. Loads hwloc if there are places, and several domains.
std::vector<std::uint32_t> domain_starts(std::uint32_t workers);

// Whether a worker of the domain that begins with worker `first` has its home there.
bool is_in_domain(std::uint32_t place, std::uint32_t first);

}  // namespace doall::team
