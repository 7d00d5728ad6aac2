// src/sites/site_memory: what a loop remembers is found again by the same loop
// under the same schedule on as many workers, by one execution at a time.
#include "sites/site_memory.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

namespace doall::team {
namespace {

constexpr std::size_t bytes = 1000;

// Schedules that remember, and one that does not; none of them is run.
schedules::entry remembering() {
  schedules::entry e{};
  e.name = "remembering";
  e.memory_bytes = [](std::uint32_t) { return bytes; };
  return e;
}
const schedules::entry one = remembering();
const schedules::entry other = remembering();
const schedules::entry forgetful{};

// Loops, by their code: unlike those of any other test.
site_key code(int n) {
  static const char loops[100'000] = {};
  return {.code = &loops[n]};
}

TEST(SiteMemory, IsZeroAtFirstAndFoundAgain) {
  memory_piece* first = borrow_memory(code(0), {&one, {}}, 2);
  ASSERT_NE(first, nullptr);
  auto* text = static_cast<char*>(bytes_of(first));
  EXPECT_TRUE(std::all_of(text, text + bytes, [](char c) { return c == 0; }));
  std::strcpy(text, "here");
  give_back(first);
  memory_piece* again = borrow_memory(code(0), {&one, {}}, 2);
  ASSERT_NE(again, nullptr);
  EXPECT_STREQ(static_cast<char*>(bytes_of(again)), "here");
  give_back(again);
}

TEST(SiteMemory, BelongsToLoopScheduleAndWorkers) {
  memory_piece* mine = borrow_memory(code(1), {&one, {}}, 2);
  std::vector<memory_piece*> others = {
      borrow_memory(code(2), {&one, {}}, 2), borrow_memory(code(1), {&other, {}}, 2),
      borrow_memory(code(1), {&one, schedules::params::of_first(2)}, 2),
      borrow_memory(code(1), {&one, {}}, 3)};
  for (memory_piece* piece : others) {
    EXPECT_NE(piece, nullptr);
    EXPECT_NE(bytes_of(piece), bytes_of(mine));
    give_back(piece);
  }
  give_back(mine);
}

TEST(SiteMemory, IsLentToOneExecutionAtATime) {
  memory_piece* mine = borrow_memory(code(3), {&one, {}}, 2);
  EXPECT_EQ(borrow_memory(code(3), {&one, {}}, 2), nullptr);
  give_back(mine);
  EXPECT_EQ(borrow_memory(code(3), {&one, {}}, 2), mine);
  give_back(mine);
}

// The child of a fork has what no loop has at that time; what one has is nobody else's there.
TEST(SiteMemory, IsTheChildsOfAForkToo) {
  memory_piece* mine = borrow_memory(code(10), {&one, {}}, 2);
  memory_piece* lent = borrow_memory(code(10), {&one, {}}, 3);
  ASSERT_NE(mine, nullptr);
  ASSERT_NE(lent, nullptr);
  std::strcpy(static_cast<char*>(bytes_of(mine)), "here");
  give_back(mine);
  const pid_t child = fork();
  if (child == 0) {
    memory_piece* const kept = borrow_memory(code(10), {&one, {}}, 2);
    const bool same = kept == mine && std::strcmp(static_cast<char*>(bytes_of(kept)), "here") == 0;
    memory_piece* const another = borrow_memory(code(10), {&one, {}}, 3);
    const bool apart = another != nullptr && another != lent;
    give_back(lent);
    _exit(same && apart ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  give_back(lent);
}

TEST(SiteMemory, IsNotForSchedulesThatDoNotRemember) {
  EXPECT_EQ(borrow_memory(code(4), {&forgetful, {}}, 2), nullptr);
  EXPECT_EQ(bytes_of(nullptr), nullptr);
}

TEST(SiteMemory, IsNotForAWorkerAlone) {
  EXPECT_EQ(borrow_memory(code(6), {&one, {}}, 1), nullptr);
}

TEST(SiteMemory, IsBoundedInBytes) {
  schedules::entry big = remembering();
  big.memory_bytes = [](std::uint32_t) { return most_memory_bytes * 2 / 3; };
  memory_piece* first = borrow_memory(code(7), {&big, {}}, 2);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(borrow_memory(code(8), {&big, {}}, 2), nullptr) << "the other is lent";
  give_back(first);
  memory_piece* second = borrow_memory(code(8), {&big, {}}, 2);
  EXPECT_NE(second, nullptr) << "the other makes room";
  give_back(second);
  big.memory_bytes = [](std::uint32_t) { return most_memory_bytes + 1; };
  EXPECT_EQ(borrow_memory(code(9), {&big, {}}, 2), nullptr);
}

TEST(SiteMemory, IsBoundedAndForgetsWhatWasNotUsedForLongest) {
  constexpr int first = 1000;
  const auto touch = [&](int n) {
    memory_piece* piece = borrow_memory(code(first + n), {&one, {}}, 2);
    ASSERT_NE(piece, nullptr);
    ++*static_cast<int*>(bytes_of(piece));
    give_back(piece);
  };
  constexpr int many = static_cast<int>(most_pieces) + 100;
  memory_piece* kept = borrow_memory(code(first + many), {&one, {}}, 2);  // lent: it stays
  *static_cast<int*>(bytes_of(kept)) = 42;
  for (int n = 0; n < many; ++n) {
    touch(n);
    touch(0);  // used all the time
  }
  give_back(kept);
  const auto value = [&](int n) {
    memory_piece* piece = borrow_memory(code(first + n), {&one, {}}, 2);
    const int found = *static_cast<int*>(bytes_of(piece));
    give_back(piece);
    return found;
  };
  EXPECT_EQ(value(many), 42);
  EXPECT_EQ(value(0), many + 1);
  EXPECT_EQ(value(1), 0) << "it had been forgotten";
}

TEST(SiteMemory, GoesWholeFromOneThreadToTheNext) {
  constexpr int times = 2000;
  int taken = 0;
  const auto work = [&](int& mine) {
    for (int i = 0; i < times; ++i) {
      memory_piece* piece = borrow_memory(code(5), {&one, {}}, 2);
      if (piece == nullptr) continue;
      ++*static_cast<int*>(bytes_of(piece));
      ++mine;
      give_back(piece);
    }
  };
  int others = 0;
  {
    const std::jthread second([&] { work(others); });
    work(taken);
  }
  memory_piece* piece = borrow_memory(code(5), {&one, {}}, 2);
  EXPECT_EQ(*static_cast<int*>(bytes_of(piece)), taken + others);
  give_back(piece);
}

}  // namespace
}  // namespace doall::team
