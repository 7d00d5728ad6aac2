// What a loop that finds its workers asleep is measured against: how long the kernel takes to wake
// a thread, with no runtime between.
#pragma once

#include <cstdint>
#include <vector>

namespace doall::bench {

struct woken {
  std::vector<double> call_ns;   // of the system call that wakes it
  std::vector<double> awake_ns;  // from before that call until the thread runs
};

// A fresh thread sleeps at a futex on `other_cpu`, while another one computes for `gap_ns` on
// `cpu`, and then wakes it. A number each time. The caller's own affinity stays as it was.
woken wake_times(int cpu, int other_cpu, std::uint64_t gap_ns, unsigned times);

// How long a loop takes at least that takes `serial_ns` on one thread, if two run it and one of
// them sleeps when it begins: they share what is left when both run.
double least_after_waking(double serial_ns, double call_ns, double awake_ns);

}  // namespace doall::bench
