// What the three benchmarks ask of a lane. All throw lane_error on a wrong answer.
#pragma once

#include <cstdint>
#include <vector>

#include "driver/neighbour_entrant.hpp"
#include "lanes/uforall.hpp"

namespace doall::bench {

// A loop of the source.
struct loop {
  double serial_ns = 0;  // as it was asked for; 0: its iterations do nothing
  std::size_t site = 0;
  uforall::loop_size size{};
};

// Loops of 1,024 iterations that take about so long each alone, in the serial lane; for
// 0 of 64 iterations that compute nothing. Each has a site of its own.
std::vector<loop> calibrate(lane_process& serial, const std::vector<double>& serial_ns);

// Of one stretch of loops.
struct stretch_times {
  double mean_ns = 0;
  double median_ns = 0;
  double p99_ns = 0;
  double max_ns = 0;
  double busy_cpus = 0;  // that other threads than the caller take in the gaps
};

// Loops for time_ns, after a warm-up; the caller works alone for gap_ns after each.
stretch_times run_loops(lane_process& lane, std::size_t schedule, const loop& l,
                        std::uint64_t gap_ns, std::uint64_t time_ns);

// How much CPU time the process takes while it sleeps for rest_ns, after time_ns of loops.
double rest_after(lane_process& lane, std::size_t schedule, const loop& l, std::uint64_t time_ns,
                  std::uint64_t rest_ns);

}  // namespace doall::bench
