// Running sums of a loop's costs, made in pieces that workers make side by side.
//
// In two forms. By owner, for wsrw's cyclic lists (schedule/costs_by_owner.hpp): a piece is an
// owner's list, straight from the costs, so one pass makes them and no list waits for another. In
// order, for schedules that deal contiguous pieces, from costs that are not running sums
// already: a piece is a share of the even partition, whose sums count from its own begin until a
// second pass adds what lies before it.
//
// Costs are whole numbers or doubles. Doubles are added up as such; the second pass makes whole
// numbers of their sums, so what is rounded is a sum and never a cost. They keep their unit unless
// an average cost of less than 1 would be lost in the rounding, or they would not fit: then a power
// of two makes it 1 to 2.
//
// Checked on the way: a cost is 0 or more and a finite number, and all together fit in 64 bits.
// Steps, each in full before the next: add_up(), each piece once, by anybody; settle(), by one;
// finish(), each piece once, by anybody. Cost: O(N) in all, one write of 8 bytes an iteration, two
// where finish() has something to do.
#pragma once

#include <cstdint>
#include <string>

#include "base/cache_line.hpp"
#include "doall/abi.h"
#include "schedule/costs_by_owner.hpp"
#include "schedule/schedule.hpp"

namespace doall::team {

enum class cost_order : std::uint8_t { by_owner, in_order };

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
  // `sums` has room for entries(shape, order) numbers, `pieces` for one a worker. The costs are of
  // shape.iterations iterations.
  cost_making(const doall_costs& costs, schedules::loop_shape shape, cost_order order,
              std::uint64_t* sums, cost_piece* pieces);

  // 2^64 - 1 for more than can be counted.
  static std::uint64_t entries(schedules::loop_shape shape, cost_order order);

  std::uint32_t pieces() const { return shape_.workers; }
  void add_up(std::uint32_t piece);
  void settle();
  bool is_to_be_finished() const;
  void finish(std::uint32_t piece);

  // After settle(): what is wrong, of several the first.
  const cost_fault& fault() const { return fault_; }
  bool uniform() const { return uniform_; }
  std::uint64_t total() const { return total_; }

 private:
  // A piece's iterations, and where the sums of the first, the first two, ... are to be.
  struct list {
    std::uint64_t first;
    std::uint64_t stride;
    std::uint64_t count;
    std::uint64_t* sums;
  };

  list list_of(std::uint32_t piece) const;
  template <class Cost>
  void add_up_as(cost_piece& piece, const list& of) const;
  template <class Cost>
  void fetch(const list& of, std::uint64_t done, std::uint64_t count, Cost* costs) const;
  template <class Cost>
  cost_fault fault_at(std::uint64_t iteration, Cost cost) const;
  bool is_real() const { return costs_.kind == DOALL_COSTS_REAL; }
  void settle_real();
  void settle_whole();

  const doall_costs& costs_;
  schedules::loop_shape shape_;
  cost_order order_;
  std::uint64_t* sums_;
  cost_piece* pieces_;
  cost_fault fault_;
  bool uniform_ = false;
  std::uint64_t total_ = 0;
  double scale_ = 1;
};

}  // namespace doall::team
