// doall calibrate --machine: what loops cost here besides their iterations, as the simulator has
// it. Each price comes from loops without work, run by the shipped schedules:
//
//   again     an iteration under dynamic,1 on one worker: nobody else takes the queue's line
//   central   the same on all workers: the queue serves an iteration in that time
//   messages  an empty loop's launch and join, over the messages that follow each other in it
//
// A claim on another worker's queue, or on one's own after a thief, waits for a line that another
// core wrote last, as a message does: `stolen` and `own` are what that takes. Of many runs the
// median counts. Not told apart: messages within a socket and between two.
#include "cli/machine_prices.hpp"

#include <fmt/format.h>
#include <doall/doall.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/clock.hpp"
#include "schedule/grammar.hpp"
#include "sim/launch.hpp"

namespace doall::cli {
namespace {

constexpr int runs = 31;
constexpr double ns_in_us = 1'000;

double median_ns(std::vector<double> times_ns) {
  const auto middle = times_ns.begin() + static_cast<std::ptrdiff_t>(times_ns.size() / 2);
  std::ranges::nth_element(times_ns, middle);
  return *middle;
}

// Of a loop whose iterations do nothing, one after the other `loops` times.
double loop_ns(std::uint32_t workers, std::int64_t iterations, const schedule& how, int loops) {
  const thread_scope team(workers);
  std::vector<double> times_ns;
  for (int run = 0; run <= runs; ++run) {
    const std::uint64_t begin_ns = base::now_ns();
    for (int k = 0; k < loops; ++k) {
      parallel_for(
          std::int64_t{0}, iterations, [](std::int64_t i) { asm volatile("" ::"r"(i)); }, how);
    }
    const auto took_ns = static_cast<double>(base::now_ns() - begin_ns);
    if (run > 0) times_ns.push_back(took_ns / loops);  // the first one wakes the threads
  }
  return median_ns(std::move(times_ns));
}

// An iteration at a time, from the queue of all.
std::string by_ones() {
  return schedules::to_text({&schedules::for_runtime_loops(), schedules::params::of_first(1)});
}

double iteration_ns(std::uint32_t workers) {
  constexpr std::int64_t iterations = 20'000;
  return loop_ns(workers, iterations, schedule(by_ones()), 1) / iterations;
}

// How many messages follow each other in a launch and a join.
double messages_in_a_row(std::uint32_t workers) {
  sim::launch counted(workers, workers, {.near = 1, .far = 1});
  return counted.joined(counted.begins());
}

}  // namespace

std::string measured_machine() {
  const std::uint32_t workers = doall_threads();
  constexpr int loops = 200;
  const double again_us = iteration_ns(1) / ns_in_us;
  std::string text = fmt::format(
      "// This machine's prices, in microseconds: written by 'doall calibrate --machine'.\n{{\n"
      "  \"processors\": {},\n",
      workers);
  double central_us = again_us;
  double line_us = again_us;
  if (workers > 1) {
    central_us = std::max(again_us, iteration_ns(workers) / ns_in_us);
    const double burden_us =
        loop_ns(workers, workers,
                schedule(schedules::to_text({&schedules::for_uniform_blocks(), {}})), loops) /
        ns_in_us;
    line_us = burden_us / messages_in_a_row(workers);
    text += fmt::format(
        "  // An empty loop takes {:.3f} us.\n"
        "  \"messages\": {{\"near\": {:.4f}, \"far\": {:.4f}}},\n",
        burden_us, line_us, line_us);
  }
  text += fmt::format(
      "  \"sync\": {{\"own\": {:.4f}, \"central\": {:.4f}, \"stolen\": {:.4f}, \"again\": "
      "{:.4f}}}\n"
      "}}\n",
      line_us, central_us, line_us, again_us);
  return text;
}

}  // namespace doall::cli
