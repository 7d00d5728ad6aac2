// How a program's time divides between fine loops, over vertices, and coarse ones, over
// edges: what fine-grain's Table 3 and Figure 15 tell apart.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

namespace doall::bench {

class loop_times {
 public:
  void add(double ns) {
    ++loops_;
    short_ += ns < short_ns ? 1 : 0;
    sum_ns_ += ns;
    least_ns_ = std::min(least_ns_, ns);
    most_ns_ = std::max(most_ns_, ns);
  }

  std::size_t loops() const { return loops_; }
  std::size_t short_loops() const { return short_; }  // under 0.1 ms
  double sum_ns() const { return sum_ns_; }
  double least_ns() const { return least_ns_; }  // infinite when there are none
  double most_ns() const { return most_ns_; }

 private:
  static constexpr double short_ns = 100'000;

  std::size_t loops_ = 0;
  std::size_t short_ = 0;
  double sum_ns_ = 0;
  double least_ns_ = std::numeric_limits<double>::infinity();
  double most_ns_ = 0;
};

// Of one run.
struct times_of_loops {
  loop_times fine;
  loop_times coarse;
};

}  // namespace doall::bench
