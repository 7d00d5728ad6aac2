// A random order in which a loop's workers ask: who asks next, how often in a
// row, who arrives late or only after the others were told that nothing is left.
// A worker that got an empty chunk never asks again. Of the loop's workers,
// `comers` come at all.
#pragma once

#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/rng.hpp"

namespace doall::tests {

class interleaving {
 public:
  static constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

  interleaving(base::rng& random, std::uint32_t workers, std::uint32_t comers)
      : random_(random), absent_(workers) {
    std::iota(absent_.begin(), absent_.end(), 0U);
    for (std::size_t i = absent_.size(); i > 1; --i) {
      std::swap(absent_[i - 1], absent_[random_.below(i)]);
    }
    absent_.resize(comers);
    constexpr std::uint64_t bursts[] = {1, 1, 4, 64, 1U << 20};
    burst_most_ = bursts[random_.below(std::size(bursts))];
    constexpr std::uint64_t gaps[] = {1, 2, 64, 4096, 1U << 30};
    arrival_gap_ = gaps[random_.below(std::size(gaps))];
    const std::uint64_t early = random_.below(2) == 0 ? comers : 1 + random_.below(comers);
    for (std::uint64_t i = 0; i < early; ++i) arrive();
  }

  // Who asks next; nobody when all have been told that nothing is left.
  std::uint32_t next() {
    if (!absent_.empty() && random_.below(arrival_gap_) == 0) arrive();
    if (present_.empty()) {
      if (absent_.empty()) return nobody;
      arrive();
      burst_ = 0;
    }
    if (burst_ == 0) {
      burst_ = 1 + random_.below(burst_most_);
      turn_ = random_.below(present_.size());
    }
    --burst_;
    return present_[turn_];
  }

  // The worker that next() named last was told that nothing is left.
  void leave() {
    std::swap(present_[turn_], present_.back());
    present_.pop_back();
    burst_ = 0;
  }

 private:
  void arrive() {
    present_.push_back(absent_.back());
    absent_.pop_back();
  }

  base::rng& random_;
  std::uint64_t burst_most_;   // how often in a row one worker may ask
  std::uint64_t arrival_gap_;  // mean number of calls between two arrivals
  std::vector<std::uint32_t> absent_;
  std::vector<std::uint32_t> present_;
  std::size_t turn_ = 0;
  std::uint64_t burst_ = 0;
};

}  // namespace doall::tests
