// Finds the worker with the earliest time, of a fixed number: a winner tree over their times.
//
// Every inner node holds the winner of its two halves; of equal times the lower number wins. A
// binary heap would move one worker down and then up again for each event, with twice the
// comparisons.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace doall::sim {

class earliest {
 public:
  // All at time 0.
  explicit earliest(std::uint32_t workers)
      : leaves_(std::bit_ceil(workers)),
        times_(leaves_, std::numeric_limits<double>::infinity()),
        winners_(2 * std::size_t{leaves_}) {
    for (std::uint32_t w = 0; w < workers; ++w) times_[w] = 0;
    for (std::uint32_t w = 0; w < leaves_; ++w) winners_[leaves_ + w] = w;
    for (std::uint32_t at = leaves_; at-- > 1;) play(at);
  }

  std::uint32_t who() const { return winners_[1]; }
  double when() const { return times_[who()]; }

  // Sets the time of one worker. O(log workers).
  void set(std::uint32_t w, double time) {
    times_[w] = time;
    for (std::uint32_t at = (leaves_ + w) / 2; at > 0; at /= 2) play(at);
  }

 private:
  void play(std::uint32_t at) {
    const std::uint32_t lower = winners_[2 * std::size_t{at}];
    const std::uint32_t upper = winners_[2 * std::size_t{at} + 1];
    winners_[at] = times_[upper] < times_[lower] ? upper : lower;
  }

  std::uint32_t leaves_;
  std::vector<double> times_;           // infinity for leaves without a worker
  std::vector<std::uint32_t> winners_;  // [1] is the root, [leaves + w] worker w
};

}  // namespace doall::sim
