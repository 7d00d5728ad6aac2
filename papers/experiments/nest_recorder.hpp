// A visitor of a program's loops (lanes/recorded.hpp) that makes the tree of them which
// virtual time runs.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sim/nest.hpp"

namespace doall::bench {

class nest_recorder {
 public:
  nest_recorder() {
    begin_loop(1);  // the program
    begin_iteration();
  }

  void begin_loop(std::size_t count) { begin(count); }
  void begin_even_loop(std::size_t count) {
    begin(count);
    even_cost_ = 0;
  }

  void begin_iteration() {
    sim::nested_loop& loop = top();
    loop.costs.push_back(0);
    loop.inner_begin.push_back(static_cast<std::uint32_t>(loop.inner.size()));
  }

  void work(double cycles) { (top().costs.empty() ? even_cost_ : top().costs.back()) += cycles; }

  void end_loop() {
    sim::nested_loop& loop = top();
    if (loop.costs.empty()) {
      loop.cost = loop.iterations == 0 ? 0 : even_cost_ / static_cast<double>(loop.iterations);
    } else {
      loop.inner_begin.push_back(static_cast<std::uint32_t>(loop.inner.size()));
    }
    if (loop.inner.empty()) loop.inner_begin.clear();
    open_.pop_back();
  }

  // Once all has been told.
  sim::nest take() {
    end_loop();
    return std::move(made_);
  }

 private:
  sim::nested_loop& top() { return made_.loops[open_.back()]; }

  void begin(std::size_t count) {
    const auto id = static_cast<std::uint32_t>(made_.loops.size());
    if (!open_.empty()) top().inner.push_back(id);
    made_.loops.push_back({.iterations = count});
    open_.push_back(id);
  }

  sim::nest made_;
  std::vector<std::uint32_t> open_;
  double even_cost_ = 0;  // of the even loop that is open; there is at most one, the innermost
};

}  // namespace doall::bench
