// What machines of today lack for AFS's factor of four: the price of a byte from another socket at
// which `affinity` is ahead of the best schedule with one queue by 1.5, 2 and 4. Virtual time, on
// the machines that come with doall; prints what docs/guide/choosing.md says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "experiments/afs_programs.hpp"
#include "schedule/grammar.hpp"
#include "sim/machine.hpp"

namespace {

using namespace doall;
using bench::afs_virtual::relaxation;

double time_of(const sim::machine& on, const std::string& schedule, std::uint64_t rows) {
  constexpr std::uint64_t sweeps = 6;
  constexpr double cost_us = 1e-3;  // of an element: four additions and a division
  const sim::program what = relaxation(rows, sweeps, cost_us);
  return run_program(what, on, on.processors, schedules::parse(schedule).value).time;
}

// How many times as fast `affinity` is as the best with one queue.
double gain(sim::machine on, double times_as_dear, std::uint64_t rows) {
  on.far_byte *= times_as_dear;
  const double best = std::min({time_of(on, "guided", rows), time_of(on, "factoring", rows),
                                time_of(on, "trapezoid", rows)});
  return best / time_of(on, "affinity", rows);
}

constexpr std::uint64_t few_rows = 1536;
constexpr std::uint64_t many_rows = 6144;

TEST(AfsToday, WhatRemoteMemoryWouldHaveToCost) {
  for (const char* name : {"2x96", "4x36"}) {
    const sim::machine on = sim::find_machine(name);
    std::printf("%s, rows of SOR: gain of affinity, by how many times as dear a far byte is\n",
                name);
    double last = 0;
    for (const double price : {1.0, 3.0, 10.0, 20.0, 30.0, 50.0, 100.0}) {
      const double now = gain(on, price, many_rows);
      std::printf("  %5.0f: %.2f\n", price, now);
      EXPECT_GT(now, last * 0.9) << name << ", " << price;
      last = now;
    }
    // Not the memory, but the queue that short loops wait for.
    const double short_loops = gain(on, 1, few_rows);
    std::printf("  short loops, today's price: %.2f\n", short_loops);
    EXPECT_GT(short_loops, gain(on, 1, many_rows)) << name;
  }
}

}  // namespace
