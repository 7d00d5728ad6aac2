// Measures affinity: how many iterations run where they ran the last time.
//
// It samples, so that a loop of any length costs a bounded time and memory: every s-th of N
// iterations, where s is the least power of two that leaves at most samples_most. Up to that many
// iterations it is exact. Iterations are identified by the source's numbers if those are known and
// consecutive, so that the rows of a loop that shrinks (Gauss elimination) are compared with
// themselves.
//
// One execution at a time has the samples; another execution of the same loop that overlaps with it
// is not compared.
//
// Memory: 8 bytes for each sample, for as many as the longest execution so far had, rounded up to a
// power of two: 8 bytes for a loop of one iteration, 32 KiB for one of samples_most or more. All
// loops together have at most all_bytes_most; an execution for which there is no room is not
// compared.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "base/arith.hpp"
#include "base/no_memory.hpp"
#include "base/sync.hpp"
#include "observe/cost_profile.hpp"
#include "schedule/schedule.hpp"

namespace doall::observe {

class stay_samples {
 public:
  static constexpr std::uint64_t samples_most = 4096;
  static constexpr std::size_t all_bytes_most = std::size_t{64} << 20;

  stay_samples() = default;
  ~stay_samples() { account(0 - bytes()); }
  stay_samples(const stay_samples&) = delete;
  stay_samples& operator=(const stay_samples&) = delete;

  // Null: not asked for. It is of the execution that has the samples, too.
  std::unique_ptr<cost_profile> costs;

  // False: there are only the costs. Nothing is marked, and begin() takes no memory.
  bool compares = true;

  struct counts {
    std::uint64_t compared = 0;  // samples that ran in the last execution as well
    std::uint64_t stayed = 0;    // of those, on the same worker
  };

  // Begins an execution, which end() ends. False: it may not have the samples.
  // It stands for so many of the loop's, as far as costs go. It is compared with the last one that
  // had the samples only if it follows that directly.
  bool begin(std::uint64_t iterations, const schedules::numbering& numbers,
             std::uint64_t stands_for = 1, bool follows = true) {
    // (1) acquire; pairs with (2): the samples as the last execution left them
    if (lent_.exchange(true, sync::acquire)) return false;
    if (costs != nullptr) costs->begin(iterations, stands_for);
    if (!compares) return true;
    const std::uint64_t apart = std::bit_ceil(base::ceil_div(iterations, samples_most));
    if (!have_room(std::bit_ceil(std::min(iterations, samples_most)))) {
      end();
      return false;
    }
    const bool consecutive = numbers.increment == 1 && numbers.first <= base::u64_max - iterations;
    first_ = consecutive ? numbers.first : 0;
    if (apart != apart_) std::fill_n(samples_.get(), size_, sample{});
    apart_ = apart;
    run_ += follows ? 1 : 2;
    return true;
  }

  // (2) release; pairs with (1): the samples
  void end() { lent_.store(false, sync::release); }

  // Marks the chunk as worker w's, if it compares. Workers do this in parallel: a sample is in one
  // chunk of an execution.
  counts mark(std::uint32_t w, const schedules::chunk& c) {
    counts found;
    if (c.empty() || !compares) return found;
    const std::uint64_t begin = first_ + c.begin;
    const std::uint64_t last = begin + (c.size() - 1) * c.step;
    const auto shift = static_cast<unsigned>(std::countr_zero(apart_));
    const std::uint64_t to = last >> shift;
    std::uint64_t n = begin >> shift;
    if (n << shift != begin) ++n;
    for (; n <= to; ++n) {
      const std::uint64_t at = n << shift;
      if (c.step != 1 && (at - begin) % c.step != 0) continue;
      sample& s = at_number(n);
      const auto number = static_cast<std::uint32_t>(n);
      const auto owner = static_cast<std::uint16_t>(w + 1);
      const auto last_run = static_cast<std::uint16_t>(run_ - 1);
      if (s.owner != 0 && s.number == number && s.run == last_run) {
        found.compared += 1;
        found.stayed += s.owner == owner ? 1 : 0;
      }
      s = {number, owner, run_};
    }
    return found;
  }

  // The bytes of this loop's samples, and of all loops'.
  std::size_t bytes() const { return size_ * sizeof(sample); }
  static std::size_t all_bytes() { return account(0); }

 private:
  // The low bits of its number and of its execution: an older sample looks like one of the last
  // execution only after 2^16 executions in which it did not run.
  struct sample {
    std::uint32_t number = 0;
    std::uint16_t owner = 0;  // the worker and 1; 0: none yet
    std::uint16_t run = 0;    // in which execution
  };

  // An execution's numbers are consecutive, and at most as many as there are samples: they never
  // collide.
  sample& at_number(std::uint64_t n) const { return samples_[n & (size_ - 1)]; }

  bool have_room(std::uint64_t wanted) {
    if (wanted <= size_) return true;
    const std::size_t more = (wanted - size_) * sizeof(sample);
    if (account(more) > all_bytes_most) {
      account(0 - more);
      return false;
    }
    std::unique_ptr<sample[]> larger(
        base::or_null([&] { return new (std::nothrow) sample[wanted](); }));
    if (larger == nullptr) {
      account(0 - more);
      return false;
    }
    const std::uint64_t before = std::exchange(size_, wanted);
    samples_.swap(larger);
    for (std::uint64_t i = 0; i < before; ++i) {
      if (larger[i].owner != 0) at_number(larger[i].number) = larger[i];
    }
    return true;
  }

  // Adds to the bytes of all loops, modulo 2^64; returns the sum.
  static std::size_t account(std::size_t bytes);

  sync::atomic<bool> lent_{false};
  std::uint16_t run_ = 0;
  std::uint64_t apart_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t size_ = 0;  // a power of two, or 0
  std::unique_ptr<sample[]> samples_;
};

}  // namespace doall::observe
