// AFS, Tables 3 to 5: how many synchronisations the schedules with one central
// queue make in a loop, which is how many chunks they deal. The tables' last
// columns, AFS's own, need time: see unit_afs_tables.cpp.

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "support/hand_driver.hpp"

namespace doall::tests {
namespace {

constexpr std::array<std::uint32_t, 5> processors = {1, 2, 4, 6, 8};

struct column {
  std::string_view schedule;
  std::array<u64, processors.size()> chunks;
};

struct table {
  std::string_view program;
  u64 iterations;
  std::array<column, 4> columns;
};

// As printed but in two cells, which contradict the formulas that give all others.
constexpr table tables[] = {
    {"Table 3, SOR",
     512,
     {{{"dynamic", {512, 512, 512, 512, 512}},
       {"guided,round=down", {1, 10, 23, 33, 43}},
       {"factoring", {10, 18, 32, 50, 56}},
       {"trapezoid", {3, 7, 13, 15, 27}}}}},  // P = 6: printed 16
    {"Table 4, transitive closure",
     640,
     {{{"dynamic", {640, 640, 640, 640, 640}},
       {"guided,round=down", {1, 11, 23, 34, 45}},
       {"factoring", {11, 20, 36, 52, 64}},
       {"trapezoid", {3, 7, 13, 18, 22}}}}},
    {"Table 5, adjoint convolution",
     5625,
     {{{"dynamic", {5625, 5625, 5625, 5625, 5625}},
       {"guided,round=down", {1, 14, 31, 46, 61}},
       {"factoring", {14, 27, 49, 69, 89}},  // P = 2: printed 29
       {"trapezoid", {3, 7, 14, 21, 28}}}}},
};

// By who asks: one worker alone, or all of them in turn.
u64 chunks_dealt(std::string_view schedule, loop_shape shape, std::uint32_t askers) {
  hand_driver driver(shape.workers);
  driver.begin(spec_of(schedule), shape);
  u64 chunks = 0;
  for (std::uint32_t w = 0; !driver.ask(w).empty(); w = (w + 1) % askers) ++chunks;
  return chunks;
}

TEST(AfsChunkCounts, AreThePapers) {
  for (const table& t : tables) {
    for (const column& c : t.columns) {
      for (std::size_t i = 0; i < processors.size(); ++i) {
        const loop_shape shape{t.iterations, processors[i]};
        SCOPED_TRACE(std::string(t.program) + ", " + std::string(c.schedule) +
                     ", P = " + std::to_string(processors[i]));
        EXPECT_EQ(chunks_dealt(c.schedule, shape, shape.workers), c.chunks[i]);
        EXPECT_EQ(chunks_dealt(c.schedule, shape, 1), c.chunks[i]);
      }
    }
  }
}

}  // namespace
}  // namespace doall::tests
