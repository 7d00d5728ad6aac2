// src/tasks/task_queue.hpp: which tasks a wait gets in which order, and that no search grows with
// the queue.
#include "tasks/task_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/rng.hpp"
#include "tasks/ancestry.hpp"

namespace doall::tasks {
namespace {

struct queued_node {
  sync::atomic<queued_node*> parent{nullptr};
  sync::atomic<queued_node*> root{nullptr};
  sync::atomic<queued_node*> jump{nullptr};
  sync::atomic<std::uint32_t> depth{0};
};

std::uint64_t asked = 0;  // about two nodes
struct tree {
  static bool precedes(const queued_node* a, const queued_node* b) {
    ++asked;
    return ancestry::precedes(a, b);
  }
  static bool is_within(const queued_node* t, const queued_node* of) {
    ++asked;
    return ancestry::is_within(t, of);
  }
};
using queue = basic_task_queue<queued_node, tree>;

// The first is a root, the others children of one of the last `width`.
class nodes {
 public:
  nodes(std::uint32_t number, std::uint32_t width, std::uint64_t seed = 1) : all_(number) {
    all_[0].root.store(&all_[0], sync::relaxed);
    base::rng random(seed);
    for (std::uint32_t i = 1; i < number; ++i) {
      const auto back = static_cast<std::uint32_t>(random.below(width)) + 1;
      ancestry::derive(all_[i], all_[back > i ? 0 : i - back]);
    }
  }
  queued_node* operator[](std::size_t i) { return &all_[i]; }

 private:
  std::deque<queued_node> all_;
};
queued_node* parent_of(queued_node* t) { return t->parent.load(sync::relaxed); }

TEST(TaskQueue, GoesByPriorityThenFirstCome) {
  nodes all(7, 1);
  queue q;
  for (std::uint32_t i = 0; i < 6; ++i)
    q.add(all[i + 1], all[0], static_cast<std::int32_t>(i / 2 % 2));
  for (const std::uint32_t expected : {2U, 3U, 0U, 1U, 4U, 5U})
    EXPECT_EQ(q.take(all[0]), all[expected + 1]);
  EXPECT_EQ(q.take(all[0]), nullptr);
  EXPECT_EQ(q.take(nullptr), nullptr);
}

// Beside a list that is searched from its front, with tasks deep and shallow.
TEST(TaskQueue, EachWaitGetsTheFirstOfItsDescendants) {
  for (const std::uint32_t width : {1U, 4U, 40U, 400U}) {
    nodes all(400, width, width);
    base::rng random(width);
    queue q;
    struct entry {
      queued_node* t;
      std::int32_t priority;
    };
    std::vector<entry> list;
    std::vector<queued_node*> out;
    for (std::size_t i = 1; i < 400; ++i) out.push_back(all[i]);
    for (int step = 0; step < 4000; ++step) {
      if (random.below(2) == 0 && !out.empty()) {
        std::swap(out[random.below(out.size())], out.back());
        const auto priority = static_cast<std::int32_t>(random.below(4));
        q.add(out.back(), parent_of(out.back()), priority);
        list.push_back({out.back(), priority});
        out.pop_back();
        continue;
      }
      const queued_node* const within = random.below(8) == 0 ? nullptr : all[random.below(400)];
      auto best = list.end();
      for (auto at = list.begin(); at != list.end(); ++at) {
        if (within != nullptr && !ancestry::descends<queued_node>(at->t, within)) continue;
        if (best == list.end() || at->priority > best->priority) best = at;
      }
      ASSERT_EQ(q.has(within), best != list.end()) << step;
      queued_node* const expected = best != list.end() ? best->t : nullptr;
      ASSERT_EQ(q.take(within), expected) << step;
      if (expected == nullptr) continue;
      out.push_back(expected);
      list.erase(best);
    }
  }
}

// Questions for each of `number` tasks, which have a parent each, or all the same; each parent
// waits.
double asked_each(std::uint32_t number, bool of_one_parent, bool of_one_priority) {
  nodes parents(number + 1, number);
  nodes all(number + 1, number);
  queue q;
  asked = 0;
  const auto parent = [&](std::uint32_t i) { return parents[of_one_parent ? 0 : i + 1]; };
  for (std::uint32_t i = 0; i < number; ++i)
    q.add(all[i], parent(i), of_one_priority ? 0 : static_cast<std::int32_t>(i));
  for (std::uint32_t i = number; i-- > 0;) {
    EXPECT_TRUE(q.has(parent(i)));
    EXPECT_NE(q.take(parent(i)), nullptr);
  }
  return static_cast<double>(asked) / number;
}

TEST(TaskQueue, ASearchDoesNotGrowWithTheQueue) {
  for (const bool of_one_parent : {false, true}) {
    for (const bool of_one_priority : {false, true}) {
      const double few = asked_each(1000, of_one_parent, of_one_priority);
      const double many = asked_each(16000, of_one_parent, of_one_priority);
      EXPECT_LT(many, 2 * few);  // of log2: 1.4
    }
  }
}

}  // namespace
}  // namespace doall::tasks
