// How many iterations run where they ran the last time: affinity, measured.
//
// By samples, so that a loop of any length costs a bounded time and memory: of N
// iterations every s-th, s the least power of two that leaves at most
// samples_most. Up to that many iterations it is exact. Iterations go by their
// place in the source's numbers where those are known and consecutive, so that
// the rows of a loop that shrinks (Gauss elimination) are compared with themselves.
//
// One execution at a time has the samples; another one of the same loop that
// overlaps with it is not compared.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "base/arith.hpp"
#include "base/sync.hpp"
#include "schedule/schedule.hpp"

namespace doall::observe {

class stay_samples {
 public:
  static constexpr std::uint64_t samples_most = 4096;

  struct counts {
    std::uint64_t compared = 0;  // samples that ran in the last execution as well
    std::uint64_t stayed = 0;    // of those, on the same worker
  };

  // Whether this execution may have them; then it begins, and end() is to come.
  bool begin(std::uint64_t iterations, const schedules::numbering& numbers) {
    // (1) acquire; pairs with (2): the samples as the last execution left them
    if (lent_.exchange(true, sync::acquire)) return false;
    const std::uint64_t apart = std::bit_ceil(base::ceil_div(iterations, samples_most));
    const bool consecutive = numbers.increment == 1 && numbers.first <= base::u64_max - iterations;
    first_ = consecutive ? numbers.first : 0;
    if (apart != apart_) samples_.fill({});
    apart_ = apart;
    ++run_;
    return true;
  }

  // (2) release; pairs with (1): the samples
  void end() { lent_.store(false, sync::release); }

  // Worker w was given the chunk. Workers do this in parallel: a sample is in one
  // chunk of an execution.
  counts mark(std::uint32_t w, const schedules::chunk& c) {
    counts found;
    if (c.empty()) return found;
    const std::uint64_t begin = first_ + c.begin;
    const std::uint64_t last = begin + (c.size() - 1) * c.step;
    const auto shift = static_cast<unsigned>(std::countr_zero(apart_));
    const std::uint64_t to = last >> shift;
    std::uint64_t n = begin >> shift;
    if (n << shift != begin) ++n;
    for (; n <= to; ++n) {
      const std::uint64_t at = n << shift;
      if (c.step != 1 && (at - begin) % c.step != 0) continue;
      sample& s = samples_[n % samples_.size()];
      if (s.owner != 0 && s.number == at && s.run + 1 == run_) {
        found.compared += 1;
        found.stayed += s.owner == w + 1 ? 1 : 0;
      }
      s = {at, w + 1, run_};
    }
    return found;
  }

 private:
  struct sample {
    std::uint64_t number = 0;
    std::uint32_t owner = 0;  // the worker and 1; 0: none yet
    std::uint32_t run = 0;    // when that was
  };

  sync::atomic<bool> lent_{false};
  std::uint64_t apart_ = 0;
  std::uint64_t first_ = 0;
  std::uint32_t run_ = 0;
  std::array<sample, 2 * samples_most> samples_{};  // consecutive ones never meet
};

}  // namespace doall::observe
