// oneTBB's two reductions of a loop whose iterations add to sums.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cstddef>

namespace doall::bench {

// As a Body of TBB's, not by value: sums may be large.
template <class Sums, class Add, class Merge>
class reducing_body {
 public:
  reducing_body(Add add, Merge merge) : add_(add), merge_(merge) {}
  reducing_body(const reducing_body& other, tbb::split) : reducing_body(other.add_, other.merge_) {}

  void operator()(const tbb::blocked_range<std::size_t>& part) {
    if constexpr (sizeof(Sums) <= sizes_in_registers) {
      Sums sums = sums_;
      for (std::size_t i = part.begin(); i < part.end(); ++i) add_(sums, i);
      sums_ = sums;
    } else {
      for (std::size_t i = part.begin(); i < part.end(); ++i) add_(sums_, i);
    }
  }
  void join(const reducing_body& right) { merge_(sums_, right.sums_); }

  const Sums& sums() const { return sums_; }

 private:
  static constexpr std::size_t sizes_in_registers = 64;

  Add add_;
  Merge merge_;
  Sums sums_{};
};

// add(sums, i) adds iteration i, merge(sums, others) adds what others have. Ranges of
// `grain` iterations are not split.
template <class Sums, class Partitioner, class Add, class Merge>
Sums tbb_reduce(std::size_t iterations, Add add, Merge merge, std::size_t grain = 1) {
  static Partitioner partitioner;  // a loop's own: the affinity partitioner remembers
  reducing_body<Sums, Add, Merge> body(add, merge);
  tbb::parallel_reduce(tbb::blocked_range<std::size_t>(0, iterations, grain), body, partitioner);
  return body.sums();
}

// By parallel_deterministic_reduce, which combines in the same order whoever runs what.
// Its default is to split down to single iterations: here 256 parts, as ours has blocks.
template <class Sums, class Add, class Merge>
Sums tbb_reduce_deterministically(std::size_t iterations, Add add, Merge merge) {
  const std::size_t grain = std::max<std::size_t>(1, (iterations + 255) / 256);
  reducing_body<Sums, Add, Merge> body(add, merge);
  tbb::parallel_deterministic_reduce(tbb::blocked_range<std::size_t>(0, iterations, grain), body);
  return body.sums();
}

}  // namespace doall::bench
