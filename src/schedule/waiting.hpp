// Waiting for another worker of the same loop, which is about to write a few words: a worker looks
// again, and pauses between its looks.
//
// Terminates: when that worker has its CPU; or when the process has forked since the loop began,
// for in the child the worker may not exist. Then the loop has no more.
#pragma once

#include "base/forks.hpp"
#include "schedule/schedule.hpp"

namespace doall::schedules {

// A loop's.
class waiting {
 public:
  // Pauses before the next look, after `looks` of them. False: the process has forked since the
  // loop began.
  bool pause(unsigned looks) const {
    if (base::forks != forks_) return false;
    constexpr unsigned looks_before_yield = 64;
    if (looks < looks_before_yield) {
      sync::relax();
    } else {
      sync::yield();
    }
    return true;
  }

 private:
  u64 forks_ = base::forks;  // when the loop began
};

}  // namespace doall::schedules
