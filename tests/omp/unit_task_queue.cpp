// src/omp/task_queue.hpp: the order in each line, and that no search grows with the queue.
#include "omp/task_queue.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace doall::omp {
namespace {

struct node {
  std::uint32_t number = 0;
};

std::uint64_t asked = 0;  // comparisons of owners
struct counted {
  bool operator()(const node* a, const node* b) const {
    ++asked;
    return std::less<>()(a, b);
  }
};
using queue = basic_task_queue<node, counted>;

std::vector<node> nodes(std::uint32_t number) {
  std::vector<node> made(number);
  for (std::uint32_t i = 0; i < number; ++i) made[i].number = i;
  return made;
}

TEST(TaskQueue, ALineGoesByPriorityThenFirstCome) {
  auto all = nodes(6);
  node maker;
  queue q;
  for (std::uint32_t i = 0; i < 6; ++i)
    q.add(&all[i], static_cast<std::int32_t>(i / 2 % 2), {&maker, nullptr, nullptr});
  for (const std::uint32_t expected : {2U, 3U, 0U, 1U, 4U, 5U})
    EXPECT_EQ(q.take(&maker), &all[expected]);
  EXPECT_EQ(q.take(&maker), nullptr);
}

TEST(TaskQueue, ATaskIsTakenOnceThroughAnyOfItsLines) {
  auto all = nodes(4);
  node maker;
  node opener;
  node root;
  const node* const lines[] = {nullptr, &maker, &opener, &root};
  queue q;
  for (node& n : all) q.add(&n, 0, {&maker, &opener, &root});
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(q.take(lines[i]), &all[i]);
  for (const node* line : lines) EXPECT_FALSE(q.has(line));
}

TEST(TaskQueue, OneOwnerMayHaveSeveralPartsAndOthersHaveNone) {
  auto all = nodes(2);
  node root;
  node other;
  queue q;
  q.add(&all[0], 0, {&root, &root, &root});
  q.add(&all[1], 7, {&other, nullptr, &root});
  EXPECT_EQ(q.take(&other), &all[1]);
  EXPECT_FALSE(q.has(&other));
  EXPECT_EQ(q.take(&root), &all[0]);
  EXPECT_EQ(q.take(nullptr), nullptr);
}

// Comparisons for each of `number` tasks, of which each is waited for by a task of its own.
double asked_each(std::uint32_t number, bool of_one_priority) {
  auto all = nodes(number);
  auto makers = nodes(number);
  node root;
  queue q;
  asked = 0;
  for (std::uint32_t i = 0; i < number; ++i) {
    q.add(&all[i], of_one_priority ? 0 : static_cast<std::int32_t>(i),
          {&makers[i], nullptr, &root});
  }
  for (std::uint32_t i = number; i-- > 0;) {
    EXPECT_TRUE(q.has(&makers[i]));
    EXPECT_EQ(q.take(&makers[i]), &all[i]);
    EXPECT_FALSE(q.has(&makers[i]));
  }
  return static_cast<double>(asked) / number;
}

TEST(TaskQueue, ASearchDoesNotGrowWithTheQueue) {
  for (const bool of_one_priority : {false, true}) {
    const double few = asked_each(1000, of_one_priority);
    const double many = asked_each(16000, of_one_priority);
    EXPECT_LT(many, 2 * few);  // of log2: 1.4
  }
}

}  // namespace
}  // namespace doall::omp
