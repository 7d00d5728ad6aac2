// OpenMP's loops for nests, in the two ways in which a user would write them.
#pragma once

#include "kernels/nested_loops.hpp"

namespace doall::bench {

// Nesting off: the outer loop is shared, the inner ones are serial.
struct omp_outer_nest : serial_nest {
  template <class Body>
  void outer(std::size_t count, const Body& body) const {
#pragma omp parallel for schedule(runtime)
    for (std::size_t i = 0; i < count; ++i) body(i);
  }
};

// A taskloop each, inside of run_in_tasks. The runtime chooses how many tasks.
struct omp_task_nest {
  template <class Body>
  void outer(std::size_t count, const Body& body) const {
    const strips<Body> cut(count);
#pragma omp taskloop shared(body, cut)
    for (std::size_t s = 0; s < cut.number(); ++s) run_part(body, cut.begin(s), cut.end(s));
  }

  template <class Body>
  void inner(std::size_t count, const Body& body) const {
    outer(count, body);
  }

  template <takes_range Body>
  auto inner_sum(std::size_t count, const Body& body) const {
    const strips<Body> cut(count);
    decltype(body(0, count)) sum{};
#pragma omp taskloop shared(body, cut) reduction(+ : sum)
    for (std::size_t s = 0; s < cut.number(); ++s) sum += body(cut.begin(s), cut.end(s));
    return sum;
  }
};

// One region for a whole nest, also one that has a serial loop outermost.
template <class Nest>
void run_in_tasks(const Nest& nest) {
#pragma omp parallel
#pragma omp single
  nest();
}

}  // namespace doall::bench
