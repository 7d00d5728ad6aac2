// Memory for tasks with their payloads (src/tasks/task_memory.hpp).
#include "tasks/task_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

namespace doall::tasks {
namespace {

constexpr std::size_t classes = task_memory::room_bytes.size();

TEST(TaskMemory, AClassHasRoomForThePayload) {
  for (std::size_t bytes = 0; bytes <= task_memory::room_bytes.back(); ++bytes) {
    const std::size_t c = task_memory::class_for(bytes, 8);
    ASSERT_LT(c, classes) << bytes;
    ASSERT_GE(task_memory::room_bytes[c], bytes);
    if (c > 0) {
      ASSERT_LT(task_memory::room_bytes[c - 1], bytes);
    }
  }
  EXPECT_EQ(task_memory::class_for(task_memory::room_bytes.back() + 1, 8), classes);
  EXPECT_EQ(task_memory::class_for(8, task_memory::alignment), 0U);
  EXPECT_EQ(task_memory::class_for(8, 2 * task_memory::alignment), classes);
}

TEST(TaskMemory, PayloadsAreApartAndAligned) {
  task_memory memory;
  std::vector<task*> taken;
  for (int round = 0; round < 20; ++round) {
    for (std::uint8_t c = 0; c < classes; ++c) {
      taken.push_back(memory.take(c));
      void* const room = task_memory::room_of(taken.back());
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(room) % task_memory::alignment, 0U);
      std::memset(room, static_cast<int>(taken.size()), task_memory::room_bytes[c]);
    }
  }
  for (std::size_t i = 0; i < taken.size(); ++i) {
    EXPECT_EQ(taken[i]->size_class, i % classes);
    const auto* const room = static_cast<const unsigned char*>(task_memory::room_of(taken[i]));
    const std::vector<unsigned char> wrote(task_memory::room_bytes[i % classes],
                                           static_cast<unsigned char>(i + 1));
    EXPECT_EQ(std::memcmp(room, wrote.data(), wrote.size()), 0);
  }
}

// Of every size: floorplan of BOTS makes two million tasks of 568 bytes, one after the other.
TEST(TaskMemory, WhatCameBackIsUsedAgain) {
  task_memory memory;
  for (std::uint8_t c = 0; c < classes; ++c) {
    std::set<task*> first;
    for (int i = 0; i < 10; ++i) first.insert(memory.take(c));
    for (int round = 0; round < 100; ++round) {
      for (task* t : first) memory.give(t);
      for (std::size_t i = 0; i < first.size(); ++i) EXPECT_TRUE(first.contains(memory.take(c)));
    }
  }
}

TEST(TaskMemory, WhatOthersGaveBackIsUsedAgain) {
  task_memory memory;
  std::vector<task*> all;
  for (int i = 0; i < 100; ++i) all.push_back(memory.take(3));
  const std::set<task*> known(all.begin(), all.end());
  for (task* t : all) memory.give_back(t);
  std::size_t again = 0;
  // What the last chunk has left comes first.
  for (int i = 0; i < 120; ++i) again += known.contains(memory.take(3)) ? 1 : 0;
  EXPECT_EQ(again, 100U);
}

}  // namespace
}  // namespace doall::tasks
