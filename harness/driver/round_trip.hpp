// What a loop's burden is measured against: how long a cache line takes from one
// core to another and back.
#pragma once

#include <vector>

namespace doall::bench {

// Two fresh threads, one pinned to each of two different CPUs, hit one word back
// and forth, spinning without a pause. Nanoseconds a round trip, one number a
// batch. The caller's own affinity stays as it was.
std::vector<double> round_trips(int cpu, int other_cpu, unsigned batches);

}  // namespace doall::bench
