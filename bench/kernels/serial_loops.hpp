// The loops of a program on one thread, without a runtime.
//
// A runtime's loops (doall_loops.hpp, omp_loops.hpp, tbb_loops.hpp) have the same members:
//   loops.each(count, body)   runs body(0) to body(count - 1) in parallel
//   loops.sum(count, body)    ... and returns what they add up to: a number, or anything
//                             that is zero when made of {} and has += and +
// They are instantiated for every body, so each call is a site of its own.
#pragma once

#include <cstddef>

namespace doall::bench {

struct serial_loops {
  template <class Body>
  void each(std::size_t count, const Body& body) const {
    for (std::size_t i = 0; i < count; ++i) body(i);
  }

  template <class Body>
  auto sum(std::size_t count, const Body& body) const {
    decltype(body(count)) all{};
    for (std::size_t i = 0; i < count; ++i) all += body(i);
    return all;
  }
};

}  // namespace doall::bench
