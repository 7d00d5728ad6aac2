// Random loops: worker counts, iteration counts, parameters and costs, weighted
// towards the edges where schedules go wrong.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/arith.hpp"
#include "base/rng.hpp"
#include "schedule/grammar.hpp"

namespace doall::tests {

using base::u64;

inline constexpr std::uint32_t most_workers = 1024;

// A power of two below 2^bits, or a neighbour of one.
inline u64 near_power(base::rng& random, unsigned bits) {
  return (u64{1} << random.below(bits)) + random.below(3) - 1;
}

inline std::uint32_t any_workers(base::rng& random) {
  const auto some = [&]() -> u64 {
    switch (random.below(8)) {
      case 0: return 1;
      case 1: return 2;
      case 2: return near_power(random, 11);
      case 3: return 1 + random.below(most_workers);
      case 4: return 1 + random.below(64);
      default: return 1 + random.below(16);
    }
  };
  return static_cast<std::uint32_t>(std::clamp<u64>(some(), 1, most_workers));
}

// Few enough to be counted one by one.
inline u64 any_iterations(base::rng& random, std::uint32_t workers) {
  switch (random.below(8)) {
    case 0: return random.below(2);
    case 1: return random.below(workers + 1);  // P > N
    case 2: return workers * (1 + random.below(4)) + random.below(3) - 1;
    case 3: return near_power(random, 13);
    case 4: return random.below(4096);
    default: return random.below(128);
  }
}

// 2^32 to 2^64 - 1.
inline u64 huge_iterations(base::rng& random) {
  switch (random.below(4)) {
    case 0: return base::u64_max - random.below(3);
    case 1: return (u64{1} << 32 << random.below(32)) + random.below(3) - 1;
    default: return std::max(random.next() >> random.below(32), u64{1} << 32);
  }
}

// A value for a parameter: a small one, one of the loop's own size, an extreme.
inline u64 any_value(base::rng& random, u64 iterations, std::uint32_t workers) {
  const auto some = [&]() -> u64 {
    switch (random.below(8)) {
      case 0: return 1;
      case 1: return workers;
      case 2: return iterations;
      case 3: return base::saturating_add(iterations / (1 + random.below(64)), random.below(2));
      case 4: return base::u64_max - random.below(2);
      case 5: return near_power(random, 64);
      default: return 1 + random.below(8);
    }
  };
  return std::max<u64>(some(), 1);
}

// The entry with each of its parameters given or not.
inline schedules::spec any_spec(base::rng& random, const schedules::entry& which,
                                schedules::loop_shape shape) {
  schedules::spec result{&which, {}};
  for (const auto parameters : {which.parameters, schedules::common_parameters()}) {
    for (const schedules::parameter& p : parameters) {
      if (random.below(3) == 0) continue;
      schedules::value_in(result.given, which, p) =
          p.words.empty() ? any_value(random, shape.iterations, shape.workers)
                          : 1 + random.below(p.words.size());
    }
  }
  return result;
}

// What iterations cost, as the sums that schedules::cost_sums takes.
class any_costs {
 public:
  any_costs() = default;  // nobody gave any
  any_costs(base::rng& random, u64 iterations) : sums_(iterations + 1) {
    sums_[0] = random.below(2) * random.below(1000);  // a part of a longer list
    const u64 kind = random.below(6);
    const u64 chosen = random.below(iterations + 1);
    const u64 most = kind == 5 ? (base::u64_max - sums_[0]) / (iterations + 1) : 1000;
    for (u64 i = 0; i < iterations; ++i) {
      const auto cost = [&]() -> u64 {
        switch (kind) {
          case 0: return 0;
          case 1: return 1;
          case 2: return iterations - i;
          case 3: return i == chosen ? u64{1} << 40 : 0;
          default: return random.below(most) * random.below(2);
        }
      };
      sums_[i + 1] = sums_[i] + cost();
    }
  }

  schedules::cost_sums sums() const {
    return sums_.empty() ? schedules::cost_sums{}
                         : schedules::cost_sums(sums_.data(), sums_.size() - 1);
  }

  // Of the same iterations, the last one first.
  any_costs mirrored() const {
    any_costs other;
    for (std::size_t i = sums_.size(); i > 0; --i) {
      other.sums_.push_back(sums_.back() - sums_[i - 1]);
    }
    return other;
  }

 private:
  std::vector<u64> sums_;
};

inline const schedules::entry& any_entry(base::rng& random) {
  return schedules::registry()[random.below(schedules::registry().size())];
}

inline std::string describe(const schedules::spec& what, schedules::loop_shape shape) {
  return schedules::to_text(what) + " on " + std::to_string(shape.iterations) + " iterations, " +
         std::to_string(shape.workers) + " workers";
}

// A valid gtest name.
inline std::string test_name(std::string_view name) {
  std::string result(name);
  std::ranges::replace_if(result, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return result;
}

}  // namespace doall::tests
