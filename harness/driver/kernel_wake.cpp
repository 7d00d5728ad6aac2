#include "driver/kernel_wake.hpp"

#include <algorithm>
#include <thread>

#include "base/clock.hpp"
#include "base/sync.hpp"
#include "lanes/pin.hpp"

namespace doall::bench {

woken wake_times(int cpu, int other_cpu, std::uint64_t gap_ns, unsigned times) {
  sync::atomic<int> calls{0};
  sync::atomic<std::uint64_t> awake_at_ns{0};
  std::thread sleeper([&] {
    pin_calling_thread(other_cpu);
    for (int seen = 0; seen < static_cast<int>(times); ++seen) {
      // (1) relaxed; alone: nothing else is read
      while (calls.load(sync::relaxed) == seen) sync::futex_wait(calls, seen);
      // (2) relaxed; alone: it is the message
      awake_at_ns.store(base::now_ns(), sync::relaxed);
    }
  });
  woken found;
  std::thread waker([&] {
    pin_calling_thread(cpu);
    for (int call = 1; call <= static_cast<int>(times); ++call) {
      const std::uint64_t until_ns = base::now_ns() + gap_ns;
      while (base::now_ns() < until_ns) {
      }
      // (3) relaxed; alone: the sleeper has stored its last time long ago, or that time counts
      // twice
      awake_at_ns.store(0, sync::relaxed);
      const std::uint64_t began_ns = base::now_ns();
      // (4) relaxed; alone: see (1)
      calls.store(call, sync::relaxed);
      sync::futex_wake_one(calls);
      found.call_ns.push_back(static_cast<double>(base::now_ns() - began_ns));
      std::uint64_t awake_ns = 0;
      // (5) relaxed; alone: see (2)
      while ((awake_ns = awake_at_ns.load(sync::relaxed)) == 0) {
      }
      found.awake_ns.push_back(static_cast<double>(std::max(awake_ns, began_ns) - began_ns));
    }
  });
  waker.join();
  sleeper.join();
  return found;
}

double least_after_waking(double serial_ns, double call_ns, double awake_ns) {
  const double alone_ns = serial_ns + call_ns;
  return std::min(alone_ns, (alone_ns + awake_ns) / 2);
}

}  // namespace doall::bench
