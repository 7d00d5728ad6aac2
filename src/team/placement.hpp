// Where a worker's thread runs when other programs want its CPU.
//
// Linux keeps a thread that another program has preempted in its CPU's queue, for
// whole time slices, even while the CPU of the one that waits for it falls idle. Two
// steps mend that, both measured (docs/investigations, a busy CPU):
//
// - Who has waited long enough for a worker that has not run meanwhile *pulls* it: moves
//   its thread to the queue of the CPU it is on itself and goes to sleep, so that the worker
//   runs at once, there; afterwards it is sent away again.
// - An idle worker that finds itself on the CPU from which its team was launched
//   *evades*: it keeps the launcher from running.
//
// Only of our own threads, never the user's, and only while a thread may run where it could
// when it started: whoever has changed that since is not interfered with. For a moment a
// pulled thread may run on one CPU alone; if it starts a thread in that moment, so may that
// one. Where the kernel refuses, nothing happens.
#pragma once

#include <pthread.h>

#include <array>
#include <cstdint>
#include <ctime>

#include "base/sync.hpp"

namespace doall::team {

// Pins the calling thread to the CPU of the worker of that number, if that can be.
void pin_calling_thread(std::uint32_t index);

// CPUs, as the kernel takes them. Without an allocation: they are asked for in a join.
class cpu_mask {
 public:
  static constexpr int most_cpus = 8192;  // of a Linux kernel

  // Those that a thread, 0 for the calling one, may run on; none when the kernel does not tell.
  static cpu_mask of_thread(pid_t id);
  static cpu_mask only(int cpu);

  bool has(int cpu) const;
  bool has_several() const;
  cpu_mask without(int cpu) const;
  bool operator==(const cpu_mask&) const = default;

  // Lets a thread run on these alone.
  bool apply_to(pid_t id) const;

 private:
  std::array<unsigned long, most_cpus / 8 / sizeof(unsigned long)> words_{};
};

class placement {
 public:
  // By the thread itself. Until then used_ns() is 0.
  void of_this_thread();

  // CPU time that the thread has used, in ns; 0 when the kernel does not tell. Any thread.
  std::uint64_t used_ns() const;

  // By another thread, to which used_ns() was not 0, and which then sleeps until the work
  // is done. Whether the thread was moved.
  bool pull() const;

  // By that thread, when the work is done and it has its CPU again.
  void send_away() const;

  // By the thread itself: away from the CPU.
  void evade(int cpu) const;

 private:
  // Whether the thread may run where it could at first, and elsewhere than on that CPU.
  bool may_leave(int cpu) const;
  void leave(int cpu) const;

  pid_t id_ = 0;
  sync::atomic<clockid_t> clock_{};
  cpu_mask home_;
};

}  // namespace doall::team
