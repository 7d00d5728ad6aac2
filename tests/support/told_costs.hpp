// Costs as a loop is told of them, and what it does with them (src/costs/loop_costs.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/rng.hpp"
#include "costs/loop_costs.hpp"
#include "support/costed_loop.hpp"
#include "support/hand_driver.hpp"

namespace doall::tests {

using schedules::loop_shape;

template <class T>
constexpr std::uint32_t cost_kind_of() {
  if (std::is_floating_point_v<T>) return DOALL_COSTS_REAL;
  return std::is_signed_v<T> ? DOALL_COSTS_SIGNED : DOALL_COSTS_UNSIGNED;
}

// Of u64, std::int64_t or double.
template <class T>
doall_costs told_of(const std::vector<T>& costs, u64 generation = 0) {
  doall_costs told{};
  told.size = sizeof told;
  told.kind = cost_kind_of<T>();
  told.iterations = costs.size();
  told.generation = generation;
  told.data = told.identity = costs.data();
  told.write = [](const doall_costs* self, u64 first, u64 stride, u64 count, void* to) {
    for (u64 k = 0; k < count; ++k) {
      static_cast<T*>(to)[k] = static_cast<const T*>(self->data)[first + k * stride];
    }
  };
  return told;
}

inline doall_costs told_of_sums(const std::vector<u64>& sums, u64 generation = 0) {
  doall_costs told{};
  told.size = sizeof told;
  told.kind = DOALL_COSTS_SUMS;
  told.iterations = sums.size() - 1;
  told.generation = generation;
  told.data = told.identity = sums.data();
  return told;
}

// The loop as it would be run, until the end of the test's statement or scope.
class planned {
 public:
  planned(std::string_view how, loop_shape shape, const doall_costs* told)
      : loop_(costs::with_costs(spec_of(how), shape, told, {})) {}
  planned(std::string_view how, std::uint32_t workers, const doall_costs& told)
      : planned(how, {told.iterations, workers}, &told) {}
  ~planned() { costs::give_back(loop_.held); }
  planned(const planned&) = delete;
  planned& operator=(const planned&) = delete;

  std::string schedule() const { return schedules::to_text(loop_.how); }
  const schedules::cost_sums& costs() const { return loop_.costs; }
  const u64* by_owner() const { return loop_.costs.by_owner(); }

 private:
  costs::costed_loop loop_;
};

// Neither uniform nor cheap.
inline std::vector<u64> uneven(u64 n, u64 seed = 1) {
  base::rng random(seed);
  std::vector<u64> costs(n);
  for (u64& cost : costs) cost = random.below(1000);
  return costs;
}

template <class To>
std::vector<To> as(const std::vector<u64>& costs) {
  return {costs.begin(), costs.end()};
}

// How often sums were made and used again since it was.
struct counted {
  costs::cost_counts before = costs::count_costs();
  u64 made() const { return costs::count_costs().made - before.made; }
  u64 reused() const { return costs::count_costs().reused - before.reused; }
};

}  // namespace doall::tests
