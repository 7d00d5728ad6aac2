// Kernels' loops through oneTBB; lanes/serial.hpp says what the members do.
//
// `Partitioner`: auto_partitioner, affinity_partitioner, and static_partitioner or, of nests,
// simple_partitioner. `grain`: ranges of so few iterations are not split. Of nests it is that of
// the innermost loops, for whose iterations it is tuned: an outer iteration holds a loop and is a
// part by itself.
//
// The affinity partitioner is the outer loop's alone, where it can remember: of an inner
// loop there is one for each outer iteration, several at a time, and none outlives it. An
// inner loop gets what a user gets who names none.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <functional>
#include <type_traits>

#include "lanes/serial.hpp"

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

// The two reductions as kernels ask for them; `reduce(Sums{}, count, add, merge)` is one of those.
template <class Body, class Reduce>
auto tbb_sum(std::size_t count, const Body& body, const Reduce& reduce) {
  using sums = decltype(body(count));
  return reduce(
      sums{}, count, [&body](sums& all, std::size_t i) { all += body(i); },
      [](sums& all, const sums& others) { all += others; });
}
template <class Array, class Add, class Merge, class Reduce>
Array tbb_sum_array(std::size_t count, const Add& add, const Merge& merge, const Reduce& reduce) {
  return reduce(Array{}, count, [&add](Array& all, std::size_t i) { add(all.data(), i); }, merge);
}

template <class Partitioner>
struct tbb_loops {
  std::size_t grain = 1;

  template <class Index, class Body>
  void each(Index first, Index last, const Body& body) const {
    static Partitioner partitioner;  // a loop's own: the affinity partitioner remembers
    each_of<Index>(first, last, body, partitioner);
  }
  template <class Index, class Body>
  void each(Index count, const Body& body, const std::source_location& = {}) const {
    each(Index{0}, count, body);
  }
  template <class Body>
  void each_uneven(std::size_t count, const Body& body, const std::source_location&) const {
    static tbb::auto_partitioner partitioner;
    each_of<std::size_t>(0, count, body, partitioner);
  }

  template <class Body>
  auto sum(std::size_t count, const Body& body, const std::source_location& = {}) const {
    return tbb_sum(count, body, reducer());
  }
  template <class Array, class Add, class Merge>
  Array sum_array(std::size_t count, const Add& add, const Merge& merge) const {
    return tbb_sum_array<Array>(count, add, merge, reducer());
  }
  template <class Index, class Body>
  double least(Index first, Index last, const Body& body) const {
    static Partitioner partitioner;
    return tbb::parallel_reduce(
        tbb::blocked_range<Index>(first, last), std::numeric_limits<double>::infinity(),
        [&body](const tbb::blocked_range<Index>& part, double least) {
          for (Index i = part.begin(); i < part.end(); ++i) least = std::min(least, body(i));
          return least;
        },
        [](double a, double b) { return std::min(a, b); }, partitioner);
  }

  template <class Body>
  void outer(std::size_t count, const Body& body) const {
    static Partitioner partitioner;
    run_parts(range(0, count), body, partitioner);
  }
  template <class Body>
  void inner(std::size_t count, const Body& body) const {
    run_parts(range(0, count, grain), body, inner_partitioner());
  }
  template <takes_range Body>
  auto inner_sum(std::size_t count, const Body& body) const {
    using value = std::invoke_result_t<const Body&, std::size_t, std::size_t>;
    return tbb::parallel_reduce(
        range(0, count, grain), value{},
        [&body](const range& part, value sum) { return sum + body(part.begin(), part.end()); },
        std::plus<>(), inner_partitioner());
  }
  static std::size_t workers() {
    return static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  }

 private:
  using range = tbb::blocked_range<std::size_t>;
  using inner_partitioner =
      std::conditional_t<std::is_same_v<Partitioner, tbb::affinity_partitioner>,
                         tbb::auto_partitioner, Partitioner>;

  template <class Index, class Body, class Chosen>
  void each_of(Index first, Index last, const Body& body, Chosen& partitioner) const {
    tbb::parallel_for(
        tbb::blocked_range<Index>(first, last, grain),
        [&body](const tbb::blocked_range<Index>& part) {
          for (Index i = part.begin(); i < part.end(); ++i) body(i);
        },
        partitioner);
  }
  auto reducer() const {
    return [g = grain]<class Sums>(const Sums&, std::size_t count, auto add, auto merge) {
      return tbb_reduce<Sums, Partitioner>(count, add, merge, g);
    };
  }
  template <class Body, class Chosen>
  static void run_parts(const range& all, const Body& body, Chosen&& partitioner) {
    tbb::parallel_for(
        all, [&body](const range& part) { run_part(body, part.begin(), part.end()); }, partitioner);
  }
};

// By the partitioner that a user gets who names none, whatever could be said of a loop.
struct tbb_silent_loops : tbb_loops<tbb::auto_partitioner> {
  using loops = tbb_loops<tbb::auto_partitioner>;
  using loops::each;
  template <class Index, class Body>
  void each(Index first, Index last, const Body& body, running_sums) const {
    loops::each(first, last, body);
  }
  template <class Index, class Body>
  void each_backward(Index count, const Body& body, running_sums) const {
    loops::each(count, body);
  }
};

// Reductions alone, whose order is fixed.
struct tbb_deterministic_loops {
  template <class Body>
  auto sum(std::size_t count, const Body& body) const {
    return tbb_sum(count, body, reduce);
  }
  template <class Array, class Add, class Merge>
  Array sum_array(std::size_t count, const Add& add, const Merge& merge) const {
    return tbb_sum_array<Array>(count, add, merge, reduce);
  }

 private:
  static constexpr auto reduce = []<class Sums>(const Sums&, std::size_t count, auto add,
                                                auto merge) {
    return tbb_reduce_deterministically<Sums>(count, add, merge);
  };
};

}  // namespace doall::bench
