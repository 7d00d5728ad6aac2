// Loops whose data lie in one socket's memory or another's, on machines of two and four sockets, in
// virtual time: auto, which steals, and best-static, which moves blocks, beside static. Where rows
// are short, time is memory's. A schedule that cuts by such times moves data each time, and takes
// up to three times as long (docs/investigations: cuts from measured times).
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "schedule/registry.hpp"
#include "sim/machine.hpp"
#include "sim/program.hpp"

namespace doall::sim {
namespace {

using base::u64;

constexpr u64 sweeps = 16;
constexpr double element_bytes = 8;

// Sweeps over the rows of a matrix, each by one iteration; row i has width(i) elements.
// `element_us`: an element's work.
program sweeping(u64 rows, double element_us, double (*width)(double part)) {
  program made;
  made.name = "sweeps";
  made.blocks = static_cast<std::uint32_t>(rows);
  made.block_bytes = element_bytes * static_cast<double>(rows);
  made.loops = sweeps;
  made.loop = [=](u64) {
    std::vector<double> costs(rows);
    const auto part = [=](u64 i) { return static_cast<double>(i) / static_cast<double>(rows); };
    for (u64 i = 0; i < rows; ++i)
      costs[i] = element_us * static_cast<double>(rows) * width(part(i));
    return program_loop{
        .iterations = rows,
        .costs = iteration_costs(costs),
        .uses = [=](u64 i, std::vector<block_use>& to) {
          to.push_back(
              {.block = static_cast<std::uint32_t>(i), .writes = true, .part = width(part(i))});
        }};
  };
  return made;
}

// The time of the last half of the sweeps.
double late_us(const program& what, const machine& on, const schedules::entry& e) {
  double first_half = 0;
  double all = 0;
  const program_run ran =
      run_program(what, on, on.processors, {&e, {}}, 1, [&](u64 k, const execution& done) {
        all += done.makespan();
        if (k < sweeps / 2) first_half = all;
      });
  (void)ran;
  return all - first_half;
}

struct form {
  const char* name;
  double (*width)(double);
};

constexpr form forms[] = {
    {"even", [](double) { return 1.0; }},
    {"triangle", [](double part) { return part; }},
    {"half dear", [](double part) { return part < 0.5 ? 1.0 : 0.25; }},
};

TEST(Sockets, AutoIsNotMuchSlowerThanStaticBlocks) {
  constexpr u64 rows = 3072;
  for (const char* name : {"2x96", "4x36"}) {
    const machine on = find_machine(name);
    for (const form& f : forms) {
      for (const double element_us : {1e-4, 1e-3}) {
        const program what = sweeping(rows, element_us, f.width);
        const double blocks = late_us(what, on, schedules::for_uniform_blocks());
        const double by_auto = late_us(what, on, schedules::for_native_loops()) / blocks;
        const double measured = late_us(what, on, schedules::for_auto_blocks()) / blocks;
        std::printf("%s, %-9s, %.1f ns an element; over static: auto %.2f, best-static %.2f\n",
                    name, f.name, 1e3 * element_us, by_auto, measured);
        EXPECT_LE(by_auto, 1.6) << name << ", " << f.name;
      }
    }
  }
}

}  // namespace
}  // namespace doall::sim
