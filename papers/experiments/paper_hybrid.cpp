// hybrid's figures (Handleman et al. 2021) by the shipped schedules, on a model of the paper's
// machine: affinity, data, and section IV's bounds. hybrid_platforms.hpp says who runs what;
// paper_hybrid_times.cpp has the figures that are graphs of times.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/rng.hpp"
#include "experiments/hybrid_platforms.hpp"
#include "schedule/claims.hpp"
#include "schedule/grammar.hpp"
#include "sim/program.hpp"

namespace doall::bench {
namespace {

using namespace hybrid_virtual;
using rows = std::vector<paper_row>;

// --- Figure 2.

// In percent of iterations, the median of three runs. Each once.
double stay(const platform& p, const working_set& set, const sim::program& what) {
  static std::map<std::tuple<std::string, std::string, std::string>, double> all;
  const std::string by = run_key(p, what.loop(0).iterations, all_cores);
  const auto [at, is_new] = all.try_emplace({by, set.name, what.name});
  if (!is_new) return at->second;
  std::array<double, 3> found{};
  for (u64 seed = 1; seed <= found.size(); ++seed) {
    sim::execution before;
    double sum = 0;
    run(p, what, all_cores, seed, [&](u64 k, const sim::execution& now) {
      if (k != 0) sum += sim::stayed(before, now);
      before = now;
    });
    found[seed - 1] = 100 * sum / static_cast<double>(what.loops - 1);
  }
  std::ranges::sort(found);
  return at->second = found[1];
}

rows figure_2() {
  struct printed {
    platform who;
    bool is_balanced;
    double percent[std::size(sets)];
    const char* why =
        "workers come to a loop in another order each time here, all orders alike, so this is "
        "chance, 3.1; what makes the authors' come back to their chunks is not stated";
  };
  const printed all[] = {
      {hybrid, true, {99.99, 99.99, 99.99}},    {vanilla, true, {3.16, 3.15, 3.16}},
      {omp_static, true, {100, 100, 100}},      {omp_dynamic, true, {9.31, 10.29, 11.95}},
      {omp_guided, true, {4.83, 4.75, 4.64}},   {hybrid, false, {67.52, 67.31, 67.15}},
      {vanilla, false, {3.19, 3.19, 3.19}},     {omp_static, false, {100, 100, 100}},
      {omp_dynamic, false, {4.20, 4.21, 4.27}}, {omp_guided, false, {4.31, 4.27, 4.14}}};
  constexpr u64 phases = 20;
  rows to;
  for (std::size_t s = 0; s < std::size(sets); ++s) {
    for (const bool is_balanced : {true, false}) {
      const sim::program what = walk(sets[s], is_balanced, phases);
      for (const printed& one : all) {
        if (one.is_balanced != is_balanced) continue;
        paper_row made = make_row(
            "Figure 2",
            fmt::format("{} {}, {}, % on the same core", one.who.name, what.name, sets[s].name),
            printed_kind::value, one.percent[s], stay(one.who, sets[s], what), one.why);
        const bool is_fitted = &one == &all[5] && s + 1 == std::size(sets);
        to.push_back(is_fitted ? fit(std::move(made), "e5-4620.json's jitter: this cell")
                               : std::move(made));
      }
    }
  }
  return to;
}

// --- Figure 4, and Figure 5, from which it has its last column.

enum level : std::uint8_t { first, second, near_third, near_memory, far_third, far_memory };
constexpr double cycles[] = {4.1, 12.2, 41.4, 246.7, (381.5 + 648.8) / 2, (643.2 + 650.9) / 2};

struct counts {
  const char* scheme;
  const char* kernel;
  double served[std::size(cycles)];
  double latency;  // without L1

  double near_part() const {
    return served[near_memory] / (served[near_memory] + served[far_memory]);
  }
};

constexpr counts figure_4_counts[] = {
    {"hybrid", "mg", {1.18e11, 3.42e9, 5.67e8, 2.73e8, 1.69e7, 4.41e7}, 1.70e11},
    {"vanilla", "mg", {1.18e11, 3.44e9, 5.61e8, 8.40e7, 3.10e7, 2.16e8}, 2.42e11},
    {"omp", "mg", {2.44e11, 3.50e9, 5.78e8, 1.75e8, 3.47e6, 1.06e8}, 1.80e11},
    {"hybrid", "ep", {3.69e10, 3.13e7, 8.15e6, 4.66e4, 6.70e5, 7.98e4}, 1.13e9},
    {"vanilla", "ep", {3.69e10, 3.38e7, 8.17e6, 4.61e4, 7.48e5, 8.45e4}, 1.20e9},
    {"omp", "ep", {3.97e10, 3.27e7, 8.13e6, 3.29e4, 3.42e5, 1.18e5}, 9.96e8},
    {"hybrid", "cg", {7.92e10, 1.11e10, 5.46e10, 2.90e9, 1.90e8, 2.37e8}, 3.36e12},
    {"vanilla", "cg", {7.49e10, 1.10e10, 5.24e10, 6.35e8, 1.87e8, 1.35e9}, 3.43e12},
    {"omp", "cg", {3.13e11, 1.10e10, 5.34e10, 1.42e9, 1.11e8, 1.57e9}, 3.77e12},
    {"hybrid", "ft", {8.38e10, 7.48e9, 2.46e9, 7.30e8, 8.77e7, 4.53e8}, 7.12e11},
    {"vanilla", "ft", {8.40e10, 7.58e9, 2.30e9, 3.10e8, 1.12e8, 8.54e8}, 8.75e11},
    {"omp", "ft", {1.43e11, 7.10e9, 2.87e9, 6.39e8, 1.12e8, 4.72e8}, 7.26e11},
    {"hybrid", "is", {1.15e11, 5.21e9, 1.39e10, 3.39e8, 4.28e7, 2.63e8}, 9.17e11},
    {"vanilla", "is", {1.23e11, 5.15e9, 1.39e10, 2.17e8, 3.18e8, 4.42e8}, 1.14e12},
    {"omp", "is", {1.85e11, 5.43e9, 1.37e10, 3.13e8, 3.39e7, 4.10e8}, 9.91e11},
};

double near_part(const std::string& kernel, const std::string& scheme) {
  const sim::program_run& r = nas_run(kernel, scheme);
  return r.near_bytes / (r.near_bytes + r.far_bytes);
}

constexpr const char* placed_alike =
    "omp_static repeats its placement exactly (Figure 2), and here all have the same homes; what "
    "makes the authors' OpenMP program fetch half from other sockets is not stated";

void add_parts(rows& to) {
  for (const counts& c : figure_4_counts) {
    const std::string what = fmt::format("{} {}, own socket's part of DRAM", c.scheme, c.kernel);
    const bool is_ep = std::string_view(c.kernel) == "ep";
    to.push_back(make_row(
        "Figure 4", what, printed_kind::value, c.near_part(),
        is_ep ? no_number : near_part(c.kernel, c.scheme),
        is_ep
            ? "ep has no data to speak of: what else the authors' process fetched would have to be "
              "known"
            : placed_alike));
  }
  for (const char* kernel : {"mg", "cg", "ft", "is"}) {
    const auto add = [&](const char* ahead, const char* behind) {
      to.push_back(make_row(
          "Figure 4",
          fmt::format("{}: {} fetches less from other sockets than {}", kernel, ahead, behind),
          printed_kind::order, 1, (1 - near_part(kernel, ahead)) / (1 - near_part(kernel, behind)),
          placed_alike));
    };
    add("hybrid", "omp");
    add("omp", "vanilla");
  }
}

rows figure_4() {
  rows to;
  for (const counts& c : figure_4_counts) {
    double sum = 0;
    for (std::size_t l = second; l < std::size(cycles); ++l) sum += c.served[l] * cycles[l];
    to.push_back(arithmetic(make_row(
        "Figure 4", fmt::format("{} {}, latency of its counts by Figure 5", c.scheme, c.kernel),
        printed_kind::sum, c.latency, sum, "its own counts give another number")));
  }
  add_parts(to);
  return to;
}

rows figure_5() {
  const sim::machine& m = machine();
  constexpr double line_bytes = 64;
  const auto of_line = [&](double byte) { return byte * line_bytes / m.unit; };
  rows to;
  const auto add = [&](const char* what, double printed, double ours) {
    to.push_back(
        input(make_row("Figure 5", fmt::format("{}, cycles, as the machine's file has it", what),
                       printed_kind::sum, printed, ours, "the file says another number")));
  };
  add("L2", cycles[second], m.sync.own / m.unit);
  add("L3", cycles[near_third], of_line(m.near_byte));
  add("local DRAM", cycles[near_memory], of_line(m.fetch_byte));
  add("remote L3", cycles[far_third], m.sync.central / m.unit);
  add("remote DRAM", cycles[far_memory], of_line(m.far_byte));
  return to;
}

// --- Section IV.

// Flags of partitions, for one thread.
struct plain_flags {
  std::vector<bool>& taken;

  bool claim(std::uint32_t partition) const {
    const bool was_free = !taken[partition];
    taken[partition] = true;
    return was_free;
  }
};

// The most claims that fail before one succeeds, or its frame ends: frames of all workers, in
// random turns.
std::uint32_t most_failed(std::uint32_t parts) {
  std::uint32_t most = 0;
  constexpr u64 runs = 200;
  for (u64 seed = 1; seed <= runs; ++seed) {
    base::rng dice(seed);
    std::vector<bool> taken(parts);
    std::vector<schedules::claim_frame> frames;
    for (std::uint32_t w = 0; w < parts; ++w) frames.push_back({.i = 0, .w = w});
    while (!frames.empty()) {
      const std::size_t who = dice.below(frames.size());
      const schedules::claim next = schedules::next_claim(frames[who], parts, plain_flags{taken});
      most = std::max(most, next.failed);
      if (!next.done) frames.erase(frames.begin() + static_cast<std::ptrdiff_t>(who));
    }
  }
  return most;
}

rows bounds() {
  rows to;
  const std::string where = "Section IV";
  const double lg = std::log2(all_cores);
  const auto add = [&](std::string what, double most, double ours) {
    to.push_back(make_row(where, std::move(what), printed_kind::bound, most, ours,
                          "a claim failed more often, or the loop takes longer"));
  };
  add("failed claims in a row, at most lg R, R = 32", lg, most_failed(all_cores));
  for (const bool is_balanced : {true, false}) {
    const sim::program what = walk(sets[0], is_balanced, 1);
    const sim::program_run alone = run(stolen_hybrid, what, 1);
    const sim::program_run all = run(stolen_hybrid, what, all_cores);
    add(fmt::format("{}: failed claims of a loop, at most R lg R and one a frame", what.name),
        all_cores * lg + all_cores, static_cast<double>(all.stealing.failed_claims));
    // Theorem 5's O() as so many thefts, and the longest run that is not cut: two chunks' worth of
    // the last worker's iterations.
    const sim::program_loop loop = what.loop(0);
    const u64 chunk = loop.iterations / 8 / all_cores;
    const double span =
        machine().unit * loop.costs.of({loop.iterations - 2 * chunk, loop.iterations});
    const double n = std::log2(static_cast<double>(loop.iterations));
    add(fmt::format("{}: T_32, at most T_1 / 32 + (P + lg n) thefts + the longest chunks",
                    what.name),
        alone.time / all_cores + machine().sync.stolen * (all_cores + n) + span, all.time);
  }
  return to;
}

bool is_hybrid(const std::string& asked) {
  return is_schedule(asked, "hybrid") || is_schedule(asked, "hybrid-published");
}

// The same with another name; a loop's chunk is asked for behind it.
std::string renamed(const std::string& asked, const char* name) {
  const std::size_t end = std::min(asked.find(','), asked.size());
  if (!is_hybrid(asked) || end == asked.size()) return asked;
  return name + asked.substr(end);
}

// The paper's own idea is to begin with a partition that is always the same and to claim more, so
// that loops keep their data and are balanced; its rivals only do the first (static), only the
// second (vanilla), or both without claiming (static-steal).
const paper_swaps swaps{
    "hybrid",
    {{"all static", false, [](const std::string&) -> std::string { return "static"; }},
     {"all dynamic", false, [](const std::string&) -> std::string { return "dynamic"; }},
     {"chunks of one more", false,
      [](const std::string& asked) -> std::string {
        const std::size_t comma = asked.find(',');
        if (comma == asked.npos) return asked;
        return fmt::format("{},{}", asked.substr(0, comma),
                           std::stoull(asked.substr(comma + 1)) + 1);
      }},
     {"hybrid without claims: static-steal", true,
      [](const std::string& asked) -> std::string { return renamed(asked, "static-steal"); }},
     {"hybrid without its partitions: vanilla", true,
      [](const std::string& asked) -> std::string { return renamed(asked, "ebs-simple"); }},
     {"hybrid without its thefts: static", true, [](const std::string& asked) -> std::string {
        return is_hybrid(asked) ? "static" : asked;
      }}}};

const paper_place places[] = {{"hybrid", "Figure 2", figure_2},
                              {"hybrid", "Figure 4", figure_4},
                              {"hybrid", "Figure 5", figure_5},
                              {"hybrid", "Section IV", bounds}};

}  // namespace
}  // namespace doall::bench
