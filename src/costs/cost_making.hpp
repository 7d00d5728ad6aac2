// Makes running sums of a loop's costs, in pieces that workers make in parallel.
//
// A piece is one of the even partitions. Its sums count from its own begin until a second pass
// adds what lies before it. Costs that are running sums already are only checked, piece by piece.
//
// Costs are whole numbers or doubles. Doubles are added up as such; the second pass rounds their
// sums to whole numbers, never a cost. They keep their unit unless rounding would lose an average
// cost of less than 1, or the sums would not fit: then a power of two scales the average to between
// 1 and 2.
//
// Checked on the way: each cost is finite and 0 or more, and the total fits in 64 bits.
// Steps, each complete before the next: add_up(), once for each piece, on any thread; settle(), on
// one thread; finish(), once for each piece, on any thread. Cost: O(N) in all, two writes of 8
// bytes for each iteration, or none.
#pragma once

#include <cstdint>
#include <string>

#include "base/cache_line.hpp"
#include "doall/abi.h"
#include "schedule/schedule.hpp"

namespace doall::costs {

// An error in the costs.
struct cost_fault {
  enum class kind : std::uint8_t { none, negative, decreasing, not_finite, too_large };
  kind what = kind::none;
  std::uint64_t iteration = 0;
  double cost = 0;

  // "iteration 17 costs -3, expected ..."
  std::string in_words() const;
};

// The result of adding up a piece.
struct alignas(base::apart_bytes) cost_piece {
  cost_fault fault;
  std::uint64_t least = 0;  // the smallest cost; for doubles the bits, which are ordered alike
  std::uint64_t most = 0;
  std::uint64_t total = 0;  // likewise
  std::uint64_t offset = 0;
};

class cost_making {
 public:
  // `sums` has room for N + 1 numbers, where N = shape.iterations, or is null if the costs are
  // running sums. `pieces` has room for one for each worker.
  cost_making(const doall_costs& costs, schedules::loop_shape shape, std::uint64_t* sums,
              cost_piece* pieces);

  std::uint32_t pieces() const { return shape_.workers; }
  void add_up(std::uint32_t piece);
  void settle();
  bool is_to_be_finished() const;
  void finish(std::uint32_t piece);

  // After settle(): the first error, if there is one.
  const cost_fault& fault() const { return fault_; }
  bool uniform() const { return uniform_; }

 private:
  schedules::range partition_of(std::uint32_t piece) const {
    return schedules::partition_of(piece, shape_);
  }
  template <class Cost>
  void add_up_as(cost_piece& piece, const schedules::range& of) const;
  void look_through(cost_piece& piece, const schedules::range& of) const;
  template <class Cost>
  static cost_fault fault_at(std::uint64_t iteration, Cost cost);
  bool is_real() const { return costs_.kind == DOALL_COSTS_REAL; }
  void settle_real();
  void settle_whole();

  const doall_costs& costs_;
  schedules::loop_shape shape_;
  std::uint64_t* sums_;
  cost_piece* pieces_;
  cost_fault fault_;
  bool uniform_ = false;
  std::uint64_t total_ = 0;
  double scale_ = 1;
};

}  // namespace doall::costs
