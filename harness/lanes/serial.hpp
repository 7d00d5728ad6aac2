// How kernels name their loops, and the lane without a runtime.
//
// A kernel's header ends with run(k, loops): its program, written once over the loops of any
// runtime. A lane's loops have these members, of which each kernel uses some. They are templates
// over the body, so each call in a kernel is a site of its own.
//
//   each(count, body)                  runs body(0) to body(count - 1) in parallel
//   each(first, last, body[, costs])   the same of [first, last); `costs`: running sums of what
//                                      iterations cost, for a runtime that can be told
//   each_backward(count, body, costs)  deals the last iterations out first
//   each_uneven(count, body)           iterations may differ much: not in equal parts
//   sum(count, body)                   what the bodies return, added up: a number, or anything that
//                                      is zero when made of {} and has += and +
//   sum_array<A>(count, add, merge)    add(values, i) adds to the elements of an array of type A,
//                                      merge(a, b) adds array b to array a
//   least(first, last, body)           the least double that a body returns
//
// Nests (LBS's programs):
//   outer(count, body)        runs a body on every i from 0 to count - 1, in parallel; an
//                             iteration may hold inner loops
//   inner(count, body)        the same, inside of an outer loop's iteration
//   inner_sum(count, body)    the sum of what a body returns, likewise
//   workers()                 how many can come to an inner loop
// A body takes one index, body(i), or, if an iteration takes only some nanoseconds, a range
// of them, body(first, last): then a runtime is charged for its loop, not for a call an
// iteration.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <source_location>
#include <span>

namespace doall::bench {

using running_sums = std::span<const std::uint64_t>;

template <class Body>
concept takes_range = std::invocable<const Body&, std::size_t, std::size_t>;

template <class Body>
void run_part(const Body& body, std::size_t first, std::size_t last) {
  if constexpr (takes_range<Body>) {
    body(first, last);
  } else {
    for (std::size_t i = first; i < last; ++i) body(i);
  }
}

// For runtimes that hand out iterations and no ranges, a range is cut into strips, and a
// strip is an iteration.
template <class Body>
class strips {
 public:
  explicit strips(std::size_t count) : count_(count) {}

  std::size_t number() const { return (count_ + length - 1) / length; }
  std::size_t begin(std::size_t strip) const { return strip * length; }
  std::size_t end(std::size_t strip) const { return std::min(count_, begin(strip) + length); }

 private:
  // 64 short iterations take long enough to hide the call, and are no grain to speak of.
  static constexpr std::size_t length = takes_range<Body> ? 64 : 1;

  std::size_t count_;
};

// What follows, up to the next loop, takes cycles() cycles: a nest says so to loops that ask
// (lanes/recorded.hpp).
template <class Loops, class Cycles>
void charge(const Loops& loops, const Cycles& cycles) {
  if constexpr (requires { loops.work(cycles()); }) loops.work(cycles());
}

struct serial_loops {
  template <class Index, class Body>
  void each(Index first, Index last, const Body& body, running_sums = {}) const {
    for (Index i = first; i < last; ++i) body(i);
  }
  template <class Index, class Body>
  void each(Index count, const Body& body) const {
    each(Index{0}, count, body);
  }
  template <class Index, class Body>
  void each_backward(Index count, const Body& body, running_sums) const {
    each(Index{0}, count, body);
  }

  template <class Index, class Body>
  auto sum(Index count, const Body& body) const {
    decltype(body(count)) all{};
    for (Index i = 0; i < count; ++i) all += body(i);
    return all;
  }
  template <class Array, class Add, class Merge>
  Array sum_array(std::size_t count, const Add& add, const Merge&) const {
    Array all{};
    for (std::size_t i = 0; i < count; ++i) add(all.data(), i);
    return all;
  }
  template <class Index, class Body>
  double least(Index first, Index last, const Body& body) const {
    double least = std::numeric_limits<double>::infinity();
    for (Index i = first; i < last; ++i) least = std::min(least, body(i));
    return least;
  }

  template <class Body>
  void outer(std::size_t count, const Body& body) const {
    run_part(body, 0, count);
  }
  template <class Body>
  void inner(std::size_t count, const Body& body) const {
    run_part(body, 0, count);
  }
  template <takes_range Body>
  auto inner_sum(std::size_t count, const Body& body) const {
    return body(0, count);
  }
  static std::size_t workers() { return 1; }
};

}  // namespace doall::bench
