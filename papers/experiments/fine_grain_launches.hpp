// Launches that fine-grain compares with its own, in virtual time (Arif & Vandierendonck 2021,
// section 3): messages as src/sim/launch.hpp has them.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/launch.hpp"

namespace doall::bench::fine_grain {

// Intel's OpenMP: a fork barrier and a join barrier, each a full one (section 3.1, Figure 4 B), and
// a third one, of the same shape, if the loop has a reduction (section 4.1). Its tree, which the
// paper does not show, is the open runtime's by default: by four, by the threads' numbers, whatever
// socket they are on.
class intel_launch {
 public:
  // `fetch`: of a line that another socket wrote some time ago. A message takes longer, since its
  // reader waits for it.
  intel_launch(std::uint32_t workers, std::uint32_t domain_size, const sim::message_prices& prices,
               double fetch)
      : workers_(workers), domain_size_(domain_size), prices_(prices), fetch_(fetch) {}

  // When each worker begins. All have arrived when the first looks for them: of the fork barrier's
  // join that costs it the reading of its children's lines.
  std::vector<double> begins() const {
    std::vector<double> at(workers_);
    const double read = own_lines() + (workers_ > domain_size_ ? fetch_ : prices_.near);
    release(0, top(), read, at);
    return at;
  }

  // When the first goes on, if workers have run at `ends`: the join barrier's join, and as much of
  // its release as the first one does, writing to its children. With a reduction there is a full
  // barrier before it.
  double joined(const std::vector<double>& ends, bool reduces = false) const {
    std::vector<double> now = ends;
    if (reduces) {
      std::vector<double> at(workers_);
      release(0, top(), join(0, top(), now), at);
      now = at;
    }
    return join(0, top(), now) + own_lines();
  }

 private:
  static constexpr std::uint32_t by = 4;

  // The step to the farthest children: a power of four.
  std::uint32_t top() const {
    std::uint32_t step = 1;
    while (step * by < workers_) step *= by;
    return step;
  }

  double latency(std::uint32_t from, std::uint32_t to) const {
    return from / domain_size_ == to / domain_size_ ? prices_.near : prices_.far;
  }

  // What the first one does for its children's lines, one after the other.
  double own_lines() const {
    std::uint32_t children = 0;
    for (std::uint32_t step = top(); step != 0; step /= by) {
      for (std::uint32_t k = 1; k < by; ++k) children += k * step < workers_ ? 1 : 0;
    }
    return prices_.line * children;
  }

  void release(std::uint32_t w, std::uint32_t step, double now, std::vector<double>& at) const {
    for (; step != 0; step /= by) {
      for (std::uint32_t k = by - 1; k != 0; --k) {
        const std::uint32_t child = w + k * step;
        if (child >= workers_) continue;
        now += prices_.line;
        release(child, step / by, now + latency(w, child), at);
      }
    }
    at[w] = now;
  }

  double join(std::uint32_t w, std::uint32_t most, const std::vector<double>& ends) const {
    double now = ends[w];
    for (std::uint32_t step = 1; step <= most; step *= by) {
      for (std::uint32_t k = 1; k < by; ++k) {
        const std::uint32_t child = w + k * step;
        if (child >= workers_) continue;
        const double there = join(child, step / by, ends) + latency(child, w);
        now = now + prices_.line > there ? now + prices_.line : there;
      }
    }
    return now;
  }

  std::uint32_t workers_;
  std::uint32_t domain_size_;
  sim::message_prices prices_;
  double fetch_;
};

}  // namespace doall::bench::fine_grain
