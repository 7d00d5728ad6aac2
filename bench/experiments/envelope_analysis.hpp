// From times to what fine-grain's Table 1 and the lower envelope say of a runtime.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "driver/statistics.hpp"

namespace doall::bench {

// times[round][k]: nanoseconds of the loop of the k-th T.
using sweep_rounds = std::vector<std::vector<double>>;

// What a loop could take that takes serial_ns alone: as long, and 30 ns to find out
// that it is too small; or its share, and one message there and back. `round_trip_ns`
// is null where there is nobody to send it to.
double envelope_ns(double serial_ns, double workers, std::optional<double> round_trip_ns);

// The loop of one T; medians over the rounds.
struct point {
  double serial_ns;
  summary loop_ns;
  double speed_up;                   // of a round's serial time over the same round's loop
  double to_envelope;                // the loop over the envelope of its round
  std::optional<estimate> interval;  // of to_envelope, 95 %; from 6 rounds on
};

// d of S = T / (d + T / P), fine-grain's model of a schedule's burden: the least squares of
// the relative error in time, d + T / P against what was measured, over the loops
// that are 1.2 times faster than alone. What is slower was not shared, or should not
// have been, and the model knows of no loop that was not. Null without such loops.
std::optional<double> burden_ns(const std::vector<point>& points, double workers);

// The T from which on `part` of the greatest speed-up is reached, by interpolation
// between logarithms; the smallest T when that reaches it already.
double serial_ns_at(const std::vector<point>& points, double part);

struct figures {
  std::vector<point> points;
  double geomean = 0;       // of all points' to_envelope
  double geomean_low = 0;   // of each round's own, the 5th percentile
  double geomean_high = 0;  // and the 95th
  double worst = 0;
  double worst_at_ns = 0;  // that T
  double peak = 0;         // the greatest speed-up
  std::optional<double> burden_ns;
  double t5_ns = 0;
  double t50_ns = 0;
  double t95_ns = 0;
};

// All three have the same rounds; round_trips_ns may be empty instead. O(rounds log rounds) a T.
figures analyse(const sweep_rounds& loops, const sweep_rounds& serial,
                const std::vector<double>& round_trips_ns, double workers);

}  // namespace doall::bench
