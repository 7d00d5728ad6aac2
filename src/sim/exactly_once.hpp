// Checks of every run in virtual time: each iteration was dealt, and none twice.
#pragma once

#include <span>

#include "sim/virtual_time.hpp"

namespace doall::sim {

// Throws std::logic_error, which names an iteration, unless the chunks are the loop's iterations,
// each of them once. Chunks are compared as intervals, a strided one among the iterations with its
// remainder: all with more than one iteration must have the same step. O(c log c) for c chunks,
// O(c) when they come in order.
void expect_exactly_once(std::span<const dealt_chunk> chunks, u64 iterations);

// The same for a loop of a nest, which is executed many times and cut into pieces that nobody
// keeps: their number, the sum of their iterations and that of these squared, modulo 2^64. A piece
// that is lost, dealt twice or shifted changes them. O(1) a piece.
class iteration_sums {
 public:
  void begin_execution(u64 iterations) { expected_.add(0, iterations); }
  void add_piece(u64 begin, u64 end) { dealt_.add(begin, end); }

  // Throws std::logic_error.
  void expect_exactly_once() const;

 private:
  struct sums {
    u64 count = 0;
    u64 first = 0;
    u64 second = 0;

    void add(u64 begin, u64 end);
    bool operator==(const sums&) const = default;
  };

  sums expected_;
  sums dealt_;
};

}  // namespace doall::sim
