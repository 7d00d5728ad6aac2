// Running sums of a loop's costs, made in pieces that workers make side by side.
//
// A piece is a share of the even partition. Its sums count from its own begin until a second pass
// adds what lies before it. Of costs that are running sums already none are made: each piece is
// looked through for what is wrong.
//
// Costs are whole numbers or doubles. Doubles are added up as such; the second pass makes whole
// numbers of their sums, so what is rounded is a sum and never a cost. They keep their unit unless
// an average cost of less than 1 would be lost in the rounding, or they would not fit: then a power
// of two makes it 1 to 2.
//
// Checked on the way: a cost is 0 or more and a finite number, and all together fit in 64 bits.
// Steps, each in full before the next: add_up(), each piece once, by anybody; settle(), by one;
// finish(), each piece once, by anybody. Cost: O(N) in all, two writes of 8 bytes an iteration, or
// none.
#pragma once

#include <cstdint>
#include <string>

#include "base/cache_line.hpp"
#include "doall/abi.h"
#include "schedule/schedule.hpp"

namespace doall::team {

// What is wrong with costs.
struct cost_fault {
  enum class kind : std::uint8_t { none, negative, decreasing, not_finite, too_large };
  kind what = kind::none;
  std::uint64_t iteration = 0;
  double cost = 0;

  // "iteration 17 costs -3, expected ..."
  std::string in_words() const;
};

// What is known of a piece that was added up.
struct alignas(base::apart_bytes) cost_piece {
  cost_fault fault;
  std::uint64_t least = 0;  // the smallest cost; of doubles their bits, which are ordered alike
  std::uint64_t most = 0;
  std::uint64_t total = 0;  // likewise
  std::uint64_t offset = 0;
};

class cost_making {
 public:
  // `sums` has room for N + 1 numbers, or is null where the costs are running sums; `pieces` for
  // one a worker. The costs are of shape.iterations iterations, N.
  cost_making(const doall_costs& costs, schedules::loop_shape shape, std::uint64_t* sums,
              cost_piece* pieces);

  std::uint32_t pieces() const { return shape_.workers; }
  void add_up(std::uint32_t piece);
  void settle();
  bool is_to_be_finished() const;
  void finish(std::uint32_t piece);

  // After settle(): what is wrong, of several the first.
  const cost_fault& fault() const { return fault_; }
  bool uniform() const { return uniform_; }

 private:
  schedules::share share_of(std::uint32_t piece) const {
    return schedules::share_of(piece, shape_);
  }
  template <class Cost>
  void add_up_as(cost_piece& piece, const schedules::share& of) const;
  void look_through(cost_piece& piece, const schedules::share& of) const;
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

}  // namespace doall::team
