#include "costs/cost_making.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <type_traits>

#include "base/arith.hpp"

namespace doall::costs {
namespace {

constexpr std::uint64_t batch_size = 256;

// Adds the cost to the sum. False: it does not fit.
bool add_to(std::uint64_t& sum, std::uint64_t cost) {
  return !__builtin_add_overflow(sum, cost, &sum);
}
bool add_to(double& sum, double cost) { return std::isfinite(sum += cost); }

// Whole numbers and doubles that are 0 or more are ordered as these are.
std::uint64_t bits_of(std::uint64_t cost) { return cost; }
std::uint64_t bits_of(double cost) { return std::bit_cast<std::uint64_t>(cost + 0.0); }

template <class Cost>
bool is_bad(Cost cost) {
  if constexpr (std::is_floating_point_v<Cost>) {
    return !(cost >= 0 && cost <= std::numeric_limits<Cost>::max());
  } else {
    return std::is_signed_v<Cost> && cost < Cost{0};
  }
}

// The factor for real costs: a power of two, usually 1; the average's own exponent with the other
// sign. By bits: the mathematics of the C library would be one more library in each program.
double scale_of(double total, std::uint64_t iterations) {
  constexpr double fits = 0x1p62;
  constexpr int bias = 1023;
  constexpr int fraction_bits = 52;
  constexpr int exponent_least = -1000;
  constexpr int exponent_most = 1022;  // whose factor is no subnormal number
  const double average = total / static_cast<double>(iterations);
  if (total == 0 || (average >= 1 && total < fits)) return 1;
  const int exponent =
      static_cast<int>(std::bit_cast<std::uint64_t>(average) >> fraction_bits) - bias;
  const int wanted = bias - std::clamp(exponent, exponent_least, exponent_most);
  return std::bit_cast<double>(static_cast<std::uint64_t>(wanted) << fraction_bits);
}

}  // namespace

std::string cost_fault::in_words() const {
  char number[64];
  std::snprintf(number, sizeof number, "%.17g", cost);
  const std::string where = "iteration " + std::to_string(iteration);
  switch (what) {
    case kind::none: return "nothing is wrong";
    case kind::negative:
    case kind::not_finite: return where + " costs " + number + ", expected a number of 0 or more";
    case kind::decreasing:
      return "the running sums decrease at " + where + ", expected none below the one before it";
    case kind::too_large: break;
  }
  return "the sum of all costs does not fit in 64 bits, reached at " + where;
}

cost_making::cost_making(const doall_costs& costs, schedules::loop_shape shape, std::uint64_t* sums,
                         cost_piece* pieces)
    : costs_(costs), shape_(shape), sums_(sums), pieces_(pieces) {}

template <class Cost>
cost_fault cost_making::fault_at(std::uint64_t iteration, Cost cost) {
  using kind = cost_fault::kind;
  const auto number = static_cast<double>(cost);
  return {std::isfinite(number) ? kind::negative : kind::not_finite, iteration, number};
}

template <class Cost>
void cost_making::add_up_as(cost_piece& piece, const schedules::range& of) const {
  using sum_type = std::conditional_t<std::is_floating_point_v<Cost>, double, std::uint64_t>;
  Cost batch[batch_size];
  sum_type sum = 0;
  piece.least = base::u64_max;
  for (std::uint64_t i = of.begin; i < of.end;) {
    const std::uint64_t some = std::min(of.end - i, batch_size);
    costs_.write(&costs_, i, 1, some, batch);
    for (std::uint64_t k = 0; k < some; ++k, ++i) {
      if (is_bad(batch[k])) {
        piece.fault = fault_at(i, batch[k]);
        return;
      }
      const auto cost = static_cast<sum_type>(batch[k]);
      if (!add_to(sum, cost)) {
        piece.fault = {cost_fault::kind::too_large, i, 0};
        return;
      }
      piece.least = std::min(piece.least, bits_of(cost));
      piece.most = std::max(piece.most, bits_of(cost));
      sums_[i + 1] = std::bit_cast<std::uint64_t>(sum);
    }
  }
  piece.total = std::bit_cast<std::uint64_t>(sum);
}

// Checks the user's running sums; a difference of 2^63 or more counts as negative.
void cost_making::look_through(cost_piece& piece, const schedules::range& of) const {
  const auto* const sums = static_cast<const std::uint64_t*>(costs_.data);
  const auto cost_of = [sums](std::uint64_t i) {
    return static_cast<std::int64_t>(sums[i + 1] - sums[i]);
  };
  piece.least = base::u64_max;
  if (of.size() == 0) return;
  const std::int64_t first = cost_of(of.begin);
  std::uint64_t i = of.begin;
  while (i < of.end && cost_of(i) == first) ++i;
  // `least` and `most` need only tell whether all costs are the same.
  const bool uniform = i == of.end;
  // Check signs alone, four at a time: this is a large part of what a loop with new costs pays.
  std::int64_t signs = first;
  for (; of.end - i >= 4; i += 4) {
    signs |= cost_of(i) | cost_of(i + 1) | cost_of(i + 2) | cost_of(i + 3);
  }
  for (; i < of.end; ++i) signs |= cost_of(i);
  if (signs < 0) {
    i = of.begin;
    while (cost_of(i) >= 0) ++i;
    piece.fault = {cost_fault::kind::decreasing, i, 0};
    return;
  }
  piece.least = uniform ? static_cast<std::uint64_t>(first) : 0;
  piece.most = uniform ? piece.least : base::u64_max;
  piece.total = sums[of.end] - sums[of.begin];
}

void cost_making::add_up(std::uint32_t piece) {
  cost_piece& mine = pieces_[piece];
  mine = {};
  const schedules::range of = partition_of(piece);
  if (sums_ != nullptr && piece == 0) sums_[0] = 0;
  switch (costs_.kind) {
    case DOALL_COSTS_SUMS: return look_through(mine, of);
    case DOALL_COSTS_REAL: return add_up_as<double>(mine, of);
    case DOALL_COSTS_UNSIGNED: return add_up_as<std::uint64_t>(mine, of);
    default: return add_up_as<std::int64_t>(mine, of);
  }
}

void cost_making::settle_whole() {
  for (std::uint32_t p = 0; p < pieces(); ++p) {
    pieces_[p].offset = total_;
    if (!add_to(total_, pieces_[p].total) && fault_.what == cost_fault::kind::none) {
      fault_ = {cost_fault::kind::too_large, partition_of(p).begin, 0};
    }
  }
}

void cost_making::settle_real() {
  double total = 0;
  for (std::uint32_t p = 0; p < pieces(); ++p) {
    pieces_[p].offset = bits_of(total);
    if (!add_to(total, std::bit_cast<double>(pieces_[p].total)) &&
        fault_.what == cost_fault::kind::none) {
      fault_ = {cost_fault::kind::too_large, partition_of(p).begin, 0};
    }
  }
  if (fault_.what != cost_fault::kind::none) return;
  scale_ = scale_of(total, shape_.iterations);
  total_ = static_cast<std::uint64_t>(total * scale_);
}

void cost_making::settle() {
  std::uint64_t least = base::u64_max;
  std::uint64_t most = 0;
  for (std::uint32_t p = 0; p < pieces(); ++p) {
    const cost_piece& piece = pieces_[p];
    if (piece.fault.what != cost_fault::kind::none &&
        (fault_.what == cost_fault::kind::none || piece.fault.iteration < fault_.iteration)) {
      fault_ = piece.fault;
    }
    least = std::min(least, piece.least);
    most = std::max(most, piece.most);
  }
  uniform_ = least >= most;
  if (fault_.what != cost_fault::kind::none) return;
  is_real() ? settle_real() : settle_whole();
}

bool cost_making::is_to_be_finished() const {
  return fault_.what == cost_fault::kind::none && sums_ != nullptr;
}

void cost_making::finish(std::uint32_t piece) {
  const schedules::range of = partition_of(piece);
  const std::uint64_t offset = pieces_[piece].offset;
  const auto real_offset = std::bit_cast<double>(offset);
  for (std::uint64_t i = of.begin; i < of.end; ++i) {
    std::uint64_t& sum = sums_[i + 1];
    sum = is_real()
              ? static_cast<std::uint64_t>((real_offset + std::bit_cast<double>(sum)) * scale_)
              : offset + sum;
  }
}

}  // namespace doall::costs
