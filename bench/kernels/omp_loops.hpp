// The loops of a program through OpenMP; serial_loops.hpp says what they do. The schedule is
// the one that the lane has set.
#pragma once

#include <cstddef>

namespace doall::bench {

struct omp_loops {
  template <class Body>
  void each(std::size_t count, const Body& body) const {
#pragma omp parallel for schedule(runtime)
    for (std::size_t i = 0; i < count; ++i) body(i);
  }

  template <class Body>
  auto sum(std::size_t count, const Body& body) const {
    using sums = decltype(body(count));
    sums all{};
#pragma omp declare reduction(add:sums : omp_out += omp_in) initializer(omp_priv = sums{})
#pragma omp parallel for schedule(runtime) reduction(add : all)
    for (std::size_t i = 0; i < count; ++i) all += body(i);
    return all;
  }
};

}  // namespace doall::bench
