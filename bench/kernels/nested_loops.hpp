// How the nests of LBS's programs name their loops. A nest is written once (nest.hpp,
// beside its kernel) over the loops of some runtime:
//
//   outer(count, body)        runs a body on every i from 0 to count - 1, in parallel; an
//                             iteration may hold inner loops
//   inner(count, body)        the same, inside of an outer loop's iteration
//   inner_sum(count, body)    the sum of what a body returns, likewise
//
// A body takes one index, body(i), or, if an iteration takes only some nanoseconds, a range
// of them, body(first, last): then a runtime is charged for its loop, not for a call an
// iteration. A loop of nest.hpp is a site of its own: all runtimes' loops are
// templates over the body.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>

namespace doall::bench {

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

// Without any runtime: the serial elision.
struct serial_nest {
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
};

}  // namespace doall::bench
