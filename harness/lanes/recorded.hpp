// Loops for nests that run on one thread and tell a visitor of the program's tree of loops,
// with what its parts are estimated to cost: for who simulates the program.
//
//   k.reset();
//   run(k, recorded_loops(visitor));
//
// The visitor is told, in the serial order:
//   begin_loop(count)       a loop of so many iterations, that may hold loops
//   begin_even_loop(count)  a loop of so many iterations of the same cost, that hold none
//   begin_iteration()       of the loop begun last, unless that one is even
//   work(cycles)            in the iteration, or outside of all loops; in an even loop, of all
//                           its iterations together
//   end_loop()              the one begun last has run
//
// Cycles are of a processor with some 3 GHz that has its data in its caches; of the inner loops
// whose profitable parallelism threshold LBS prints (Table 2), they are what that says. They are
// worked out from counts and sizes: a program's tree is the same wherever and whenever it is
// recorded.
#pragma once

#include <cstddef>

#include "lanes/serial.hpp"

namespace doall::bench {

template <class Visitor>
class recorded_loops {
 public:
  explicit recorded_loops(Visitor& visitor) : visitor_(visitor) {}

  template <class Body>
  void outer(std::size_t count, const Body& body) const {
    if constexpr (takes_range<Body>) {
      inner_sum(count, [&](std::size_t first, std::size_t last) {
        body(first, last);
        return 0;
      });
    } else {
      visitor_.begin_loop(count);
      for (std::size_t i = 0; i < count; ++i) {
        visitor_.begin_iteration();
        body(i);
      }
      visitor_.end_loop();
    }
  }

  template <class Body>
  void inner(std::size_t count, const Body& body) const {
    outer(count, body);
  }

  template <takes_range Body>
  auto inner_sum(std::size_t count, const Body& body) const {
    visitor_.begin_even_loop(count);
    const auto sum = body(0, count);
    visitor_.end_loop();
    return sum;
  }

  static std::size_t workers() { return 1; }

  template <class Cycles>
  void work(Cycles cycles) const {
    visitor_.work(cycles);
  }

 private:
  Visitor& visitor_;
};

}  // namespace doall::bench
