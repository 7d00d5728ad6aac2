#include "driver/round_trip.hpp"

#include <thread>

#include "base/cache_line.hpp"
#include "base/clock.hpp"
#include "base/sync.hpp"
#include "lanes/pin.hpp"

namespace doall::bench {
namespace {

constexpr std::uint64_t trips_a_batch = 500;

struct alignas(base::apart_bytes) court {
  // Odd: the other's turn. Counts up, so that no stroke is taken for an older one.
  sync::atomic<std::uint64_t> strokes{0};

  void await(std::uint64_t count) const {
    // (1) acquire; pairs with (2): the line has come over
    while (strokes.load(sync::acquire) != count) {
    }
  }
  // (2) release; pairs with (1)
  void strike(std::uint64_t count) { strokes.store(count, sync::release); }
};

}  // namespace

std::vector<double> round_trips(int cpu, int other_cpu, unsigned batches) {
  // The first batch is for the threads to get to their CPUs and is not counted.
  const std::uint64_t trips = (batches + std::uint64_t{1}) * trips_a_batch;
  std::vector<double> trip_ns;
  court c;
  std::thread other([&] {
    pin_calling_thread(other_cpu);
    for (std::uint64_t t = 0; t < trips; ++t) {
      c.await(2 * t + 1);
      c.strike(2 * t + 2);
    }
  });
  std::thread one([&] {
    pin_calling_thread(cpu);
    std::uint64_t begin_ns = base::now_ns();
    for (std::uint64_t t = 0; t < trips; ++t) {
      c.strike(2 * t + 1);
      c.await(2 * t + 2);
      if ((t + 1) % trips_a_batch != 0) continue;
      const std::uint64_t end_ns = base::now_ns();
      if (t >= trips_a_batch) {
        trip_ns.push_back(static_cast<double>(end_ns - begin_ns) / trips_a_batch);
      }
      begin_ns = end_ns;
    }
  });
  one.join();
  other.join();
  return trip_ns;
}

}  // namespace doall::bench
