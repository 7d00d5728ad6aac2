// Memory for the shared queue's nodes (src/tasks/node_pool.hpp).
#include "tasks/node_pool.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace doall::tasks {
namespace {

struct node {
  long value;
  node* next = nullptr;
};
using pool = node_pool<node, 4>;

TEST(NodePool, NodesAreApart) {
  pool all;
  std::vector<node*> taken;
  for (long i = 0; i < 50; ++i) taken.push_back(all.take(i));
  EXPECT_EQ(std::set(taken.begin(), taken.end()).size(), 50U);
  for (long i = 0; i < 50; ++i) {
    EXPECT_EQ(taken[i]->value, i);
    EXPECT_EQ(taken[i]->next, nullptr);
  }
}

TEST(NodePool, WhatCameBackIsUsedAgain) {
  pool all;
  std::set<node*> first;
  for (int i = 0; i < 10; ++i) first.insert(all.take(i));
  for (int round = 0; round < 100; ++round) {
    for (node* n : first) all.give(n);
    for (std::size_t i = 0; i < first.size(); ++i) EXPECT_TRUE(first.contains(all.take(round)));
  }
}

TEST(NodePool, AnEmptyContainerKeepsOneChunk) {
  pool all;
  node* const begin = all.take(0);
  for (int i = 0; i < 10; ++i) all.take(i);
  all.forget_all();
  EXPECT_EQ(all.take(7), begin);
  EXPECT_EQ(begin->value, 7);
  all.forget_all();
  all.forget_all();
  EXPECT_EQ(all.take(8), begin);
}

}  // namespace
}  // namespace doall::tasks
