#include "experiments/paper_cows_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>

#include "experiments/paper.hpp"
#include "kernels/cows_programs.hpp"
#include "lanes/cows_recorded.hpp"
#include "sim/machine.hpp"

namespace doall::bench::cows_paper {
namespace {

// In cycles, by hand: what an iteration does besides its neighbours, what it does for each besides
// looking, how many bytes it looks at there; and an iteration of the kernel's loops that look at
// none.
struct kernel_costs {
  double vertex;
  double edge;
  double value_bytes;
  double uniform;
  bool follows;  // these look at one value each
};
constexpr kernel_costs costs_by_kernel[] = {{10, 3, 4, 3, false},   // KC: a minimum
                                            {10, 3, 4, 6, false},   // LE: a maximum
                                            {4, 4, 4, 2, false},    // BFS: a test; a store
                                            {15, 5, 8, 25, false},  // PR: a sum; then a division
                                            {10, 4, 4, 3, true}};   // CC: a minimum, a store
// How much longer the authors' iterations take, whose vertices and neighbours are structures that
// functions look up (Figure 1). Fitted, on Figure 13's KC, Aqua, WSRW over dynamic, the most.
constexpr double authors_work = 9;
constexpr double cost_pass = 4;    // of an iteration, in the loop that adds up costs
constexpr double walked_step = 1;  // of an iteration that a thief walks past without Opt4

// Where a value is that is anywhere in an array of so many bytes. Assumed, as of such processors:
// 14 cycles from the second-level cache, of 1 MB, 60 from the third, 200 from memory; and that four
// neighbours' looks overlap.
double look_cycles(const site& at, double bytes) {
  constexpr double second_level = 1e6;
  constexpr double overlap = 4;
  const double in_second = std::min(bytes, second_level);
  const double in_third = std::clamp(bytes - second_level, 0.0, at.third_level_bytes);
  const double in_memory = bytes - in_second - in_third;
  return (14 * in_second + 60 * in_third + 200 * in_memory) / bytes / overlap;
}

template <class Kernel>
loop_recorder record(const shared_ordered_graph& g) {
  loop_recorder made;
  Kernel k(g);
  k.reset();
  run(k, recorded_cows_loops(made));
  return made;
}

loop_recorder record(kernel_name k, const shared_ordered_graph& g) {
  switch (k) {
    case kernel_name::kc: return record<k_committee>(g);
    case kernel_name::le: return record<leader_election>(g);
    case kernel_name::bfs: return record<cows_search>(g);
    case kernel_name::pr: return record<rank_flow>(g);
    case kernel_name::cc: return record<label_flow>(g);
  }
  return {};
}

const kernel_costs& costs_of(kernel_name k) { return costs_by_kernel[static_cast<std::size_t>(k)]; }

double look_of(const site& at, kernel_name k, const printed_graph& g) {
  return look_cycles(at, costs_of(k).value_bytes * g.vertices);
}

// An iteration of a loop that looks at no neighbours.
double uniform_of(const site& at, kernel_name k, const printed_graph& g) {
  return authors_work * (costs_of(k).uniform + (costs_of(k).follows ? look_of(at, k, g) : 0));
}

// The recorded loops in cycles, once a site.
const std::vector<recorded_loop>& loops_of(const site& at, kernel_name k, const printed_graph& g) {
  static std::map<std::tuple<std::string, kernel_name, std::string>, std::vector<recorded_loop>>
      all;
  const auto [found, is_new] = all.try_emplace({at.name, k, g.name});
  if (!is_new) return found->second;
  const double vertex = authors_work * costs_of(k).vertex;
  const double neighbour = authors_work * (costs_of(k).edge + look_of(at, k, g));
  found->second = recorded(k, g).take();
  for (recorded_loop& loop : found->second) {
    if (loop.kind == loop_kind::uniform) continue;
    auto costs = std::make_shared<recorded_costs>(*loop.costs);
    for (double& one : costs->each) {
      one = std::round(vertex + (one - loop_recorder::vertex_cost) * neighbour);
    }
    loop.fingerprint = costs->fingerprint();
    loop.costs = std::move(costs);
    if (k == kernel_name::kc) loop.kind = loop_kind::guarded;
  }
  return found->second;
}

double fourth_root(double of) { return std::sqrt(std::sqrt(of)); }

double total_of(const recorded_loop& loop) {
  return std::accumulate(loop.costs->each.begin(), loop.costs->each.end(), 0.0);
}

std::string with(const std::string& text, const char* key, const std::string& value) {
  return text.find(fmt::format(",{}=", key)) != text.npos
             ? text
             : fmt::format("{},{}={}", text, key, value);
}

double scale_of(const printed_graph& g) {
  return static_cast<double>(scaled_down(g)->vertices()) / g.vertices;
}

// c is as large a part of a list as in the paper's graph; at least one iteration.
template <std::size_t Graph>
std::string papers_own(const recorded_loop& loop, const std::string& text) {
  const bool is_wsrw = is_schedule(text, "wsrw");
  if (!is_wsrw && !is_schedule(text, "wsri") && !is_schedule(text, "wsr")) return text;
  if (is_wsrw && loop.kind == loop_kind::uniform) return "cyclic";
  const bool has_costs = is_wsrw && loop.kind == loop_kind::costed;
  const double scale = scale_of(printed_graphs()[Graph]);
  const double workload = has_costs ? total_of(loop) : static_cast<double>(loop.costs->iterations);
  const std::string named =
      is_wsrw && !has_costs ? "wsri" + text.substr(std::string_view("wsrw").size()) : text;
  return with(with(named, "assign", "cyclic"), "c",
              fmt::format("{:.0f}", std::max(1.0, scale * fourth_root(workload / scale))));
}

schedule_of_loop papers_own_of(const printed_graph& g) {
  constexpr schedule_of_loop all[] = {papers_own<0>, papers_own<1>, papers_own<2>, papers_own<3>,
                                      papers_own<4>};
  const auto& graphs = printed_graphs();
  const auto at = std::ranges::find(graphs, std::string_view(g.name), [](const printed_graph& one) {
    return std::string_view(one.name);
  });
  return all[at - graphs.begin()];
}

machine_prices prices_of(const site& at, double scale) {
  constexpr double looks_a_line = 8;  // that overlap (cows_machine.hpp)
  const sim::machine m = sim::find_machine(at.machine);
  return {.own = scale * m.sync.own,
          .central = m.sync.central,
          .stolen = scale * m.sync.stolen,
          .look = scale * m.sync.central / looks_a_line,
          .late = scale * m.spread,
          .jitter = m.jitter,
          // Its vertex comes from its owner, who has to fetch it for its next loop.
          .moved = 2 * m.sync.central};
}

// Threads beyond the number of cores share one with another.
std::vector<double> slowness_of(const site& at, std::uint32_t threads) {
  std::vector<double> all(threads, 1);
  if (threads <= at.cores) return all;
  const double shared = sim::find_machine(at.machine).shared_core;
  for (std::uint32_t p = 0; p < 2 * (threads - at.cores); ++p) all[p] = shared;
  return all;
}

machine_figures run_on(const site& at, kernel_name k, const printed_graph& g,
                       const std::vector<recorded_loop>& loops, const std::string& schedule,
                       std::uint32_t threads) {
  constexpr unsigned seeds = 5;
  using key = std::tuple<std::string, kernel_name, std::string, std::string, std::uint32_t>;
  static std::map<key, machine> all;
  const double uniform = uniform_of(at, k, g);
  machine& here = all.try_emplace(key(at.machine, k, g.name, schedule, threads),
                                  machine_request{.workers = {threads},
                                                  .seeds = seeds,
                                                  .prices = prices_of(at, scale_of(g)),
                                                  .schedules = {schedule},
                                                  .by = papers_own_of(g),
                                                  .uniform_cost = uniform,
                                                  .slowness = slowness_of(at, threads),
                                                  .judges_balance = false})
                      .first->second;
  here.run(loops);
  return here.of(loops, schedule, threads);
}

}  // namespace

const std::vector<site>& sites() {
  static const std::vector<site> all{
      {"Aqua", "gold-6248", 40, 27.5e6, {4, 8, 16, 32}, 40},
      {"Goodwill", "gold-6240", 36, 24.75e6, {4, 8, 16, 32, 64, 72}, 72}};
  return all;
}

const char* text(kernel_name k) {
  constexpr const char* names[] = {"KC", "LE", "BFS", "PR", "CC"};
  return names[static_cast<std::size_t>(k)];
}

const loop_recorder& recorded(kernel_name k, const printed_graph& g) {
  static std::map<std::pair<kernel_name, std::string>, loop_recorder> all;
  const auto [at, is_new] = all.try_emplace({k, g.name});
  if (is_new) at->second = record(k, scaled_down(g));
  return at->second;
}

machine_figures found(const site& at, kernel_name k, const printed_graph& g,
                      const std::string& schedule, std::uint32_t threads) {
  const std::string runs = stand_in(schedule);
  const std::vector<recorded_loop>& loops = loops_of(at, k, g);
  machine_figures made = run_on(at, k, g, loops, runs, threads);
  if (!is_schedule(runs, "wsrw")) return made;
  for (const recorded_loop& loop : loops) {
    if (loop.kind != loop_kind::costed) continue;
    made.makespan += cost_pass * static_cast<double>(loop.costs->iterations) / threads;
  }
  return made;
}

double unoptimised(const site& at, kernel_name k, const printed_graph& g) {
  const std::uint32_t threads = at.most;
  std::vector<recorded_loop> loops = loops_of(at, k, g);
  double sums = 0;
  double walked = 0;
  for (recorded_loop& loop : loops) {
    const double iterations = static_cast<double>(loop.costs->iterations);
    if (loop.kind == loop_kind::uniform) {
      auto costs = std::make_shared<recorded_costs>();
      costs->iterations = loop.costs->iterations;
      costs->each.assign(loop.costs->iterations, std::round(uniform_of(at, k, g)));
      loop.fingerprint = costs->fingerprint();
      loop.costs = std::move(costs);
    }
    loop.kind = loop_kind::costed;
    sums += loop.times * cost_pass * iterations / threads;
    walked = std::max(walked, walked_step * iterations / threads / 2);
  }
  const machine_figures made = run_on(at, k, g, loops, stand_in(wsrw), threads);
  return made.makespan + sums + walked * made.steals / threads;
}

}  // namespace doall::bench::cows_paper
