// Kernels' loops through OpenMP, as users write them; lanes/serial.hpp says what the members do.
#pragma once

#include <omp.h>

#include <array>
#include <tuple>

#include "lanes/serial.hpp"

namespace doall::bench {

// schedule(runtime): the one that the lane has set.
struct omp_loops {
  template <class Index, class Body>
  void each(Index first, Index last, const Body& body, running_sums = {}) const {
#pragma omp parallel for schedule(runtime)
    for (Index i = first; i < last; ++i) body(i);
  }
  template <class Index, class Body>
  void each(Index count, const Body& body) const {
    each(Index{0}, count, body);
  }
  // A loop that counts down.
  template <class Index, class Body>
  void each_backward(Index count, const Body& body, running_sums) const {
#pragma omp parallel for schedule(runtime)
    for (Index i = count - 1; i >= 0; --i) body(i);
  }
  // One thread calls wait() first, in a region that is open already.
  template <class Index, class Wait, class Body>
  void each_with_one_late(Index count, const Wait& wait, const Body& body) const {
#pragma omp parallel
    {
      if (omp_get_thread_num() == omp_get_num_threads() - 1) wait();
#pragma omp for schedule(runtime)
      for (Index i = 0; i < count; ++i) body(i);
    }
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

// schedule(static).
struct omp_static_loops {
  template <class Index, class Body>
  void each(Index first, Index last, const Body& body) const {
#pragma omp parallel for schedule(static)
    for (Index i = first; i < last; ++i) body(i);
  }
  template <class Index, class Body>
  void each(Index count, const Body& body, const std::source_location& = {}) const {
    each(Index{0}, count, body);
  }
  template <class Body>
  void each_uneven(std::size_t count, const Body& body, const std::source_location&) const {
#pragma omp parallel for schedule(dynamic, 64)
    for (std::size_t i = 0; i < count; ++i) body(i);
  }

  template <class Body>
  auto sum(std::size_t count, const Body& body, const std::source_location& = {}) const {
    using sums = decltype(body(count));
    sums all{};
    if constexpr (std::is_arithmetic_v<sums>) {
#pragma omp parallel for schedule(static) reduction(+ : all)
      for (std::size_t i = 0; i < count; ++i) all += body(i);
    } else {
#pragma omp declare reduction(add:sums : omp_out += omp_in) initializer(omp_priv = sums{})
#pragma omp parallel for schedule(static) reduction(add : all)
      for (std::size_t i = 0; i < count; ++i) all += body(i);
    }
    return all;
  }
  // OpenMP's own reduction of an array.
  template <class Array, class Add, class Merge>
  Array sum_array(std::size_t count, const Add& add, const Merge&) const {
    constexpr std::size_t size = std::tuple_size_v<Array>;
    Array all{};
    auto* values = all.data();
#pragma omp parallel for schedule(static) reduction(+ : values[ : size])
    for (std::size_t i = 0; i < count; ++i) add(values, i);
    return all;
  }
  template <class Index, class Body>
  double least(Index first, Index last, const Body& body) const {
    double least = std::numeric_limits<double>::infinity();
#pragma omp parallel for schedule(static) reduction(min : least)
    for (Index i = first; i < last; ++i) least = std::min(least, body(i));
    return least;
  }
};

// The same of all loops: what a user gets who says nothing.
struct omp_silent_loops : omp_static_loops {
  using omp_static_loops::each;
  template <class Index, class Body>
  void each(Index first, Index last, const Body& body, running_sums) const {
    omp_static_loops::each(first, last, body);
  }
  template <class Index, class Body>
  void each_backward(Index count, const Body& body, running_sums) const {
    omp_static_loops::each(count, body);
  }
  template <class Body>
  void each_uneven(std::size_t count, const Body& body, const std::source_location&) const {
    omp_static_loops::each(count, body);
  }
};

// Nests with nesting off: the outer loop is shared, the inner ones are serial.
struct omp_outer_loops : serial_loops {
  template <class Body>
  void outer(std::size_t count, const Body& body) const {
#pragma omp parallel for schedule(runtime)
    for (std::size_t i = 0; i < count; ++i) body(i);
  }
};

// Nests as a taskloop each, inside of run_in_tasks. The runtime chooses how many tasks.
struct omp_task_loops {
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
  static std::size_t workers() { return static_cast<std::size_t>(omp_get_num_threads()); }
};

// One region for a whole nest, also one that has a serial loop outermost.
template <class Nest>
void run_in_tasks(const Nest& nest) {
#pragma omp parallel
#pragma omp single
  nest();
}

}  // namespace doall::bench
