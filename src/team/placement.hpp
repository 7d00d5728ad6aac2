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
// Neither moves a thread out of its worker's NUMA domain, where its memory is. A waiter in another
// domain sleeps without pulling, and a thread evades to its own domain's other CPUs.
//
// Only doall's own threads are moved, never the user's, and only while a thread may run where it
// could when it started: if the program has changed that since, it is left alone. For a moment a
// pulled thread may run on one CPU alone; if it starts a thread in that moment, so may that thread.
// If the kernel refuses, nothing happens.
#pragma once

#include <pthread.h>

#include <array>
#include <cstdint>
#include <ctime>
#include <span>

#include "base/sync.hpp"

namespace doall::team {

// Moves the calling thread to the place of the worker of that number, if there are places.
void pin_calling_thread(std::uint32_t index);

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

  // Pulls the thread; returns whether it moved. Called by another thread, which has seen used_ns()
  // other than 0, and which then sleeps until the work is done.
  bool pull() const;

  // Called by that other thread, when the work is done and it has its CPU again.
  void send_away() const;

  // Moves away from the CPU. Called by the thread itself.
  void evade(int cpu) const;

 private:
  // Whether the thread may still run where it could at first, and on another CPU than that.
  bool may_leave(int cpu) const;
  void leave(int cpu) const;

  pid_t id_ = 0;
  sync::atomic<clockid_t> clock_{};
  cpu_mask home_;    // where it may run
  cpu_mask domain_;  // CPUs near its memory
};

}  // namespace doall::team
