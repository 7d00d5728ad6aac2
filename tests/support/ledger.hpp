// Counts how often each iteration of a loop was dealt. record() may be called by
// several threads at once, the others only when nobody records.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "schedule/schedule.hpp"

namespace doall::tests {

class ledger {
 public:
  explicit ledger(base::u64 iterations) : counts_(iterations) {}

  void record(const schedules::chunk& c) {
    if (c.end > counts_.size() || c.step == 0) {
      ADD_FAILURE() << "chunk " << testing::PrintToString(c) << " of a loop of " << counts_.size();
      return;
    }
    for (base::u64 i = c.begin; i < c.end; i += c.step) {
      counts_[i].fetch_add(1, std::memory_order_relaxed);
    }
  }

  void expect_each(std::uint8_t least, std::uint8_t most) const {
    for (base::u64 i = 0; i < counts_.size(); ++i) {
      const int count = counts_[i].load(std::memory_order_relaxed);
      ASSERT_TRUE(least <= count && count <= most)
          << "iteration " << i << " of " << counts_.size() << " was dealt " << count << " times";
    }
  }

  void expect_exactly_once() const { expect_each(1, 1); }
  void expect_at_most_once() const { expect_each(0, 1); }

 private:
  std::vector<std::atomic<std::uint8_t>> counts_;
};

}  // namespace doall::tests
