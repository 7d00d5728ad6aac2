// What the tests put into deques: four words, as a task descriptor has, that betray a mixture
// of two items.
#pragma once

#include <cstdint>

#include "base/rng.hpp"

namespace doall::tests {

class sealed_item {
 public:
  sealed_item() = default;
  explicit sealed_item(std::uint64_t number) : word_{number} {
    base::rng random(number);
    for (std::uint64_t* w = word_ + 1; w != word_ + 4; ++w) *w = random.next();
  }

  std::uint64_t number() const { return word_[0]; }
  bool is_whole() const { return *this == sealed_item(number()); }
  bool operator==(const sealed_item&) const = default;

 private:
  std::uint64_t word_[4] = {};
};

}  // namespace doall::tests
