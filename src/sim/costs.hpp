// The costs of a loop's iterations in virtual time: all the same, or a number for each. The user
// chooses the unit.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "schedule/schedule.hpp"

namespace doall::sim {

using base::u64;

class iteration_costs {
 public:
  // All the same, for loops of any length. Takes no memory.
  iteration_costs() = default;
  explicit iteration_costs(double each) : each_(each) {}

  // Iteration i costs each[i], a finite number from 0. Kept as running sums, so that a chunk of
  // neighbours takes one subtraction. Sums of whole numbers are exact up to 2^53.
  explicit iteration_costs(std::span<const double> each);

  // The cost of all iterations of the chunk. O(1) for step 1 or equal costs, else O(c.size()).
  double of(const schedules::chunk& c) const;

  // The costs for schedules that use them: none when all are equal. Whole numbers are passed as
  // they are, others in the unit that makes their sum 2^52. Valid as long as this object or a copy.
  schedules::cost_sums for_schedules() const;

 private:
  struct running_sums {
    std::vector<double> costs;         // N + 1
    std::vector<u64> for_schedules{};  // likewise
  };

  double each_ = 1;
  std::shared_ptr<const running_sums> sums_;  // of all copies; null when all are equal
};

// The costs of the loops that AFS, section 4.4, balances: iteration i, counted from 0, of N.
struct cost_shape {
  std::string_view name;
  std::string_view meaning;
  double (*cost)(u64 i, u64 iterations);
};

std::span<const cost_shape> cost_shapes();

// Finds a shape by name; null if there is none.
const cost_shape* find_cost_shape(std::string_view name);

// O(N) in time and memory.
iteration_costs costs_of(const cost_shape& shape, u64 iterations);

}  // namespace doall::sim
