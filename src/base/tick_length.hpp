// The length of a tick (clock.hpp), for callers that cannot wait for a clock each time.
#pragma once

#include "base/clock.hpp"
#include "base/sync.hpp"

namespace doall::base {

class tick_length {
 public:
  // Measures it again.
  double measured_ns() {
    const double ns = scale_.ns_per_tick();
    // (1) relaxed; alone: an estimate
    ns_.store(ns, sync::relaxed);
    return ns;
  }
  // (2) relaxed; alone: an estimate
  double last_ns() const { return ns_.load(sync::relaxed); }

 private:
  tick_scale scale_;
  sync::atomic<double> ns_{nominal_tick_ns()};
};

}  // namespace doall::base
