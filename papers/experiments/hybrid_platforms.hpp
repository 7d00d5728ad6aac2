// Who runs hybrid's programs (Handleman et al. 2021, section V), and on what: for the files of
// `doall paper hybrid`.
//
// hybrid is hybrid-published (schedule/hybrid.hpp), the paper's own: random victims, whose frame
// stays. What ours does in its place `--instead=hybrid-published:hybrid` shows. "hybrid, frames
// stolen" is ours in a nested loop, by the stealing engine, which counts what section IV bounds;
// vanilla (Cilk) is run by that, too: divide and conquer, and the worker that comes to a loop's
// sync last goes on behind it, so that no worker begins all loops. OpenMP's are dealt by next().
// All have the paper's chunk, min(2048, N/8P).
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "experiments/paper.hpp"
#include "sim/program.hpp"

namespace doall::bench::hybrid_virtual {

using base::u64;

constexpr std::uint32_t all_cores = 32;
constexpr std::uint32_t a_socket = 8;
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

enum class engine : bool { next, stealing };

struct platform {
  const char* name;
  const char* schedule;  // but for its chunk
  engine by;
  bool is_chunked = true;
};

constexpr platform hybrid{"hybrid", "hybrid-published", engine::next};
constexpr platform stolen_hybrid{"hybrid, frames stolen", "hybrid", engine::stealing};
constexpr platform vanilla{"vanilla", "ebs-simple", engine::stealing};
constexpr platform omp_static{"omp_static", "static", engine::next, false};
constexpr platform omp_dynamic{"omp_dynamic", "dynamic", engine::next};
constexpr platform omp_guided{"omp_guided", "guided", engine::next};

// static for loops that are even, guided for is's one that is not.
constexpr platform omp{"omp", "static", engine::next, false};

// src/sim/machines/e5-4620.json.
const sim::machine& machine();

// What runs a loop for that platform, as a name for what remembers runs.
std::string run_key(const platform& p, u64 iterations, std::uint32_t processors);

sim::program_run run(const platform& p, const sim::program& what, std::uint32_t processors,
                     u64 seed = 1, const sim::loop_watcher& seen = {});

// Of NAS's kernels: mg, ep, cg, ft or is, by hybrid, vanilla or omp, on all cores. Each is run
// once.
const sim::program_run& nas_run(const std::string& kernel, const std::string& scheme);

// Of a socket: the paper's machine has four.
struct working_set {
  const char* name;
  double socket_bytes;
};
constexpr working_set sets[] = {
    {"11.90 MB", 11.90e6}, {"15.87 MB", 15.87e6}, {"79.35 MB", 79.35e6}};

// One of the microbenchmarks.
sim::program walk(const working_set& set, bool is_balanced, u64 phases);

}  // namespace doall::bench::hybrid_virtual
