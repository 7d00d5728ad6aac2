// Numbers and slots of loops that are all of their region (open_alone), beside those of loops that
// workers enter and leave. How workers meet in the latter is model_loop_ring's.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

#include "loops/loop_ring.hpp"
#include "schedule/registry.hpp"

namespace {

using namespace doall;
using team::loop_ring;
using team::loop_slot;

team::loop_request request_of(std::string_view schedule, std::uint64_t iterations) {
  return {{schedules::find(schedule), {}}, {iterations, 1}, {}, {0, 1, iterations}};
}

// One worker enters and leaves loop `number`; whether it was the first there.
bool opens(loop_ring& ring, std::uint64_t number) {
  bool opened = false;
  ring.enter(
      {.sequence = number}, [] { return false; },
      [&](loop_slot& slot) {
        slot.open(request_of("dynamic", 3));
        opened = true;
      });
  ring.leave(number, 1, [](loop_slot&) {});
  return opened;
}

// One worker of two comes to loop `number`, and leaves it unless it has moved.
enum class met { moved, given_up, opened, found };
met meet(loop_ring& ring, std::uint64_t number, std::uint64_t over = 0, bool given_up = false) {
  met how = met::found;
  const team::entrance in = ring.enter(
      {.sequence = number, .size = 2, .over = over}, [&] { return given_up; },
      [&](loop_slot& slot) {
        slot.open(request_of("dynamic", 3));
        how = met::opened;
      });
  if (in.moved) return met::moved;
  if (in.slot == nullptr) return met::given_up;
  ring.leave(number, 2, [](loop_slot&) {});
  return how;
}

TEST(LoopRing, LoopsAloneMayAllHaveOneNumber) {
  loop_ring ring(2, 1);
  for (int loop = 0; loop < 5; ++loop) {
    ring.open_alone(0, request_of("guided", 7));
    ring.close_alone(0);
  }
  // And then any other loop has it, and those after that the next.
  for (std::uint64_t number = 0; number < 5; ++number) EXPECT_TRUE(opens(ring, number)) << number;
}

TEST(LoopRing, LoopsThatCameAfterALoopAlonePassItsNumberOn) {
  loop_ring ring(2, 1);
  ring.open_alone(0, request_of("guided", 7));
  EXPECT_TRUE(opens(ring, 1));
  ring.close_alone(0);
  ring.pass_on(0);
  for (std::uint64_t number = 2; number < 6; ++number) EXPECT_TRUE(opens(ring, number)) << number;
}

TEST(LoopRing, WhatWorkersReadFirstIsThatOfTheLoopInTheSlot) {
  loop_ring ring(1, 1);
  const loop_slot& slot = ring.at(0);
  for (const char* schedule : {"guided", "guided", "static", "tapering"}) {
    for (const std::uint64_t iterations : {7, 7, 8}) {
      ring.open_alone(0, request_of(schedule, iterations));
      EXPECT_EQ(slot.first.run, &schedules::find(schedule)->forward) << schedule;
      EXPECT_EQ(slot.first.iterations, iterations) << schedule;
      EXPECT_EQ(slot.first.source, (schedules::numbering{0, 1, iterations})) << schedule;
      ring.close_alone(0);
    }
  }
}

TEST(LoopRing, AWorkerTooFarAheadMovesTheLoopsOn) {
  loop_ring ring(2, 2);
  EXPECT_EQ(meet(ring, 0), met::opened);
  EXPECT_EQ(meet(ring, 1), met::opened);
  EXPECT_EQ(meet(ring, 2), met::moved);
  // The other worker follows, whether it has left the slot's loop or not.
  loop_ring deeper(4, 2, 2);
  for (std::uint64_t number = 2; number < 6; ++number) EXPECT_EQ(meet(deeper, number), met::opened);
  EXPECT_EQ(meet(deeper, 6), met::moved);
  EXPECT_EQ(meet(ring, 0), met::found);
  EXPECT_EQ(meet(ring, 1), met::found);
  EXPECT_EQ(meet(ring, 2), met::moved);
  for (std::uint64_t number = 2; number < 6; ++number) EXPECT_EQ(meet(deeper, number), met::found);
  EXPECT_EQ(meet(deeper, 6), met::moved);
  // Abandoned, as when all have joined, it has room again.
  ring.abandon([](std::uint32_t) { ADD_FAILURE() << "all have left"; });
  EXPECT_EQ(ring.next, 4U);
  EXPECT_EQ(meet(ring, 4), met::opened);
  EXPECT_EQ(meet(ring, 4), met::found);
  EXPECT_EQ(meet(ring, 5), met::opened);
  EXPECT_EQ(meet(ring, 6), met::opened);
}

TEST(LoopRing, NothingMovesWhileThereIsRoom) {
  loop_ring ring(2, 2);
  for (std::uint64_t number = 0; number < 9; ++number) {
    EXPECT_EQ(meet(ring, number), met::opened) << number;
    if (number != 0) {
      EXPECT_EQ(meet(ring, number - 1), met::found) << number;
    }
  }
}

TEST(LoopRing, ALoopThatABarrierEndsDoesNotMoveTheNext) {
  loop_ring ring(2, 2);
  const auto enter = [&](std::uint64_t number) {
    ring.enter(
        {.sequence = number, .size = 2}, [] { return false; },
        [&](loop_slot& slot) { slot.open(request_of("dynamic", 3)); });
  };
  enter(0);
  enter(0);  // and then a barrier: both know that it is over
  std::thread first([&] { ring.end_behind_barrier(0, [](loop_slot&) {}); });
  EXPECT_EQ(meet(ring, 1, 1), met::opened);
  EXPECT_EQ(meet(ring, 2, 1), met::opened);
  first.join();
  EXPECT_EQ(meet(ring, 1, 1), met::found);
  EXPECT_EQ(meet(ring, 2, 1), met::found);
}

TEST(LoopRing, WhatIsGivenUpDoesNotMove) {
  loop_ring ring(2, 2);
  EXPECT_EQ(meet(ring, 0), met::opened);
  EXPECT_EQ(meet(ring, 1), met::opened);
  EXPECT_EQ(meet(ring, 2, 0, true), met::given_up);
}

// Which pages of a ring's lines there are.
std::vector<unsigned char> pages_of(const schedules::worker_line* lines, std::size_t size) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> there((size * sizeof *lines + page - 1) / page);
  const auto address = reinterpret_cast<std::uintptr_t>(lines);
  EXPECT_EQ(address % page, 0U);
  EXPECT_EQ(mincore(reinterpret_cast<void*>(address), size * sizeof *lines, there.data()), 0);
  for (unsigned char& one : there) one &= 1;
  return there;
}

// Lines are near whoever uses them: who makes a large team's ring touches none of them.
TEST(LoopRing, LeavesAWorkersLinesToTheWorker) {
  constexpr std::uint32_t workers = 256;
  constexpr std::size_t size = loop_ring::team_depth * workers;
  loop_ring ring(loop_ring::team_depth, workers);
  const schedules::worker_line* const lines = ring.at(0).lines;
  EXPECT_EQ(std::ranges::count(pages_of(lines, size), 1), 0);
  std::thread worker([&] { ring.at(0).lines[200].word[0].store(1); });
  worker.join();
  EXPECT_EQ(std::ranges::count(pages_of(lines, size), 1), 1);
}

}  // namespace
