// src/tasks/ancestry.hpp: the answer in random trees and in long chains, and how many nodes it
// reads.
#include "tasks/ancestry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>

#include "base/rng.hpp"

namespace doall::tasks {
namespace {

std::uint64_t reads = 0;  // of a tree_node's members

// In place of an atomic: one thread is here.
template <class T>
class cell {
 public:
  template <class Order>
  T load(Order) const {
    ++reads;
    return value_;
  }
  template <class Order>
  void store(T value, Order) {
    value_ = value;
  }
  void set(T value) { value_ = value; }
  T get() const { return value_; }

 private:
  T value_{};
};

struct tree_node {
  cell<tree_node*> parent;
  cell<tree_node*> root;
  cell<tree_node*> jump;
  cell<std::uint32_t> depth;
};

bool by_parents(const tree_node* t, const tree_node* of) {
  for (t = t->parent.get(); t != nullptr; t = t->parent.get())
    if (t == of) return true;
  return false;
}

// The first is a root; each other one a child of one of the last `width`.
std::deque<tree_node> made(std::uint32_t number, std::uint32_t width, std::uint64_t seed) {
  std::deque<tree_node> all(number);
  all[0].root.set(&all[0]);
  base::rng random(seed);
  for (std::uint32_t i = 1; i < number; ++i) {
    const std::uint32_t back = static_cast<std::uint32_t>(random.below(width)) + 1;
    ancestry::derive(all[i], all[back > i ? 0 : i - back]);
  }
  return all;
}

TEST(Ancestry, IsWhatParentsSay) {
  for (const std::uint32_t width : {1U, 3U, 40U}) {
    const std::deque<tree_node> all = made(700, width, width);
    for (std::size_t i = 0; i < all.size(); i += 3) {
      for (std::size_t k = 0; k < all.size(); k += 2)
        ASSERT_EQ(ancestry::descends(&all[i], &all[k]), by_parents(&all[i], &all[k])) << i << k;
    }
  }
}

std::uint64_t most_reads(std::uint32_t length) {
  const std::deque<tree_node> chain = made(length, 1, 1);
  std::uint64_t most = 0;
  for (std::uint32_t i = 1; i < length; i += 7) {
    reads = 0;
    EXPECT_TRUE(ancestry::descends(&chain.back(), &chain[length - 1 - i]));
    most = std::max(most, reads);
  }
  return most;
}

TEST(Ancestry, StepsDoNotGrowWithTheDepth) {
  EXPECT_LE(most_reads(1000), 200U);
  EXPECT_LE(most_reads(1000000), 300U);
}

// A thief may read what is there of another tree_node.
TEST(Ancestry, EndsWhateverANodeHolds) {
  std::deque<tree_node> chain = made(300, 1, 1);
  for (std::size_t i = 0; i < chain.size(); ++i) {
    chain[i].parent.set(&chain[(i * 7 + 3) % 300]);
    chain[i].jump.set(&chain[(i * 11 + 5) % 300]);
  }
  for (std::size_t i = 0; i < chain.size(); ++i) ancestry::descends(&chain[i], &chain[i / 2 + 1]);
}

}  // namespace
}  // namespace doall::tasks
