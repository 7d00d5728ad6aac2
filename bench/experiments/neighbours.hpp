// Loops on a shared machine: who takes part in `idle`, `noisy` and `oversubscribed`, and what they
// ask of a lane.
#pragma once

#include <cstdint>
#include <vector>

#include "driver/contenders.hpp"
#include "lanes/uforall.hpp"

namespace doall::bench {

// The one that is not a runtime. It always takes part, and is the first.
inline constexpr const char* serial_name = "serial";

// Whether OpenMP's peers take part twice, waiting as they do by default and actively.
enum class peer_waiting { by_default, actively_too };

// `more_of_gomp`: schedules of our libgomp's besides static. Throws lane_error when the serial lane
// is missing.
contenders start_uforall(const contest& c, peer_waiting waiting,
                         std::vector<std::string> more_of_gomp = {});

// All but the serial one. `present` outlives them.
std::vector<entrant> entrants_beside_serial(std::span<const contender> present);

// A loop of the source.
struct loop {
  double serial_ns = 0;  // as it was asked for; 0: its iterations do nothing
  std::size_t site = 0;
  uforall::loop_size size{};
};

// The least of nine such loops, in the serial lane: whoever is disturbed takes longer.
double serial_loop_ns(lane_process& serial, std::size_t site, uforall::loop_size size);

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
stretch_times run_loops(const entrant& e, const loop& l, std::uint64_t gap_ns,
                        std::uint64_t time_ns);

// How much CPU time the process takes while it sleeps for rest_ns, after time_ns of loops.
double rest_after(const entrant& e, const loop& l, std::uint64_t time_ns, std::uint64_t rest_ns);

}  // namespace doall::bench
