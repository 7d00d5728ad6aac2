// doall bench auto-virtual: auto on more workers than a machine has, in virtual time: against every
// schedule that is told nothing and remembers nothing.
//
// The same on every machine: nothing is measured. AFS's shapes of costs (section 4.4), and a loop
// whose dear iterations lie at random; a microsecond an iteration in the mean. Taking a piece has a
// price, by where it comes from.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "driver/experiment.hpp"
#include "driver/report.hpp"
#include "driver/statistics.hpp"
#include "driver/verdict.hpp"
#include "schedule/registry.hpp"
#include "sim/virtual_time.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

using base::u64;
using nlohmann::ordered_json;

constexpr double mean_most = 1.05;
constexpr double worst_most = 1.15;

constexpr std::array workers_of_rows{8U, 32U, 128U};
constexpr std::array<u64, 3> lengths{1'000, 10'000, 100'000};
constexpr u64 iterations_a_worker_least = 8;
constexpr double iteration_ns = 1'000;
constexpr sim::sync_prices prices_ns{.own = 12, .central = 100, .stolen = 200};

struct loop_kind {
  std::string name;
  std::function<sim::iteration_costs(u64 iterations)> costs;
};

// A fortieth of the loop after the other costs 1 to 40.
sim::iteration_costs anywhere(u64 iterations) {
  base::rng random(1);
  const u64 stretch = std::max<u64>(1, iterations / 40);
  std::vector<double> each(iterations);
  for (u64 i = 0; i < iterations; ++i)
    each[i] = i % stretch == 0 ? static_cast<double>(1 + random.below(40)) : each[i - 1];
  return sim::iteration_costs(each);
}

std::vector<loop_kind> all_kinds() {
  std::vector<loop_kind> all;
  for (const sim::cost_shape& shape : sim::cost_shapes()) {
    all.push_back({std::string(shape.name),
                   [&shape](u64 iterations) { return sim::costs_of(shape, iterations); }});
  }
  all.push_back({"anywhere", anywhere});
  return all;
}

struct row {
  std::string costs;
  u64 iterations = 0;
  std::uint32_t workers = 0;
  std::string best = {};  // of the schedules that are told nothing, auto among them
  double over_best = 0;   // auto's makespan over that of the best
  double stolen = 0;      // part of the iterations
};

sim::loop_setup setup_of(const schedules::entry& e, const row& r,
                         const sim::iteration_costs& costs) {
  const bool by_ones = &e == &schedules::for_runtime_loops();
  const double sum = costs.of({0, r.iterations});
  return {.schedule = {&e, schedules::params::of_first(by_ones ? 1U : 0U)},
          .shape = {r.iterations, r.workers},
          .costs = costs,
          .unit = iteration_ns * static_cast<double>(r.iterations) / sum,
          .prices = prices_ns};
}

// The least makespan of a schedule that is told nothing and remembers nothing, or ours; and its
// name.
double best_ns(const row& r, const sim::iteration_costs& costs, double ours_ns, std::string& name) {
  double best = ours_ns;
  name = schedules::for_native_loops().name;
  for (const schedules::entry& e : schedules::registry()) {
    if (e.has(schedules::uses_costs) || e.has(schedules::remembers)) continue;
    const double found_ns = sim::run_once(setup_of(e, r, costs)).makespan();
    if (found_ns >= best) continue;
    best = found_ns;
    name = e.name;
  }
  return best;
}

void fill(row& r, const loop_kind& kind) {
  const sim::iteration_costs costs = kind.costs(r.iterations);
  const sim::execution ran = sim::run_once(setup_of(schedules::for_native_loops(), r, costs));
  r.over_best = ran.makespan() / best_ns(r, costs, ran.makespan(), r.best);
  r.stolen = sim::stolen_part(ran);
}

std::vector<row> all_rows() {
  std::vector<row> rows;
  for (const loop_kind& kind : all_kinds()) {
    for (const u64 iterations : lengths) {
      for (const std::uint32_t workers : workers_of_rows) {
        if (iterations / workers < iterations_a_worker_least) continue;
        row r{.costs = kind.name, .iterations = iterations, .workers = workers};
        show_progress(fmt::format("{}, {} iterations, {} workers", r.costs, iterations, workers));
        fill(r, kind);
        rows.push_back(std::move(r));
      }
    }
  }
  show_progress("");
  return rows;
}

std::string where_text(const row& r) {
  return fmt::format("{}, {} on {}", r.costs, r.iterations, r.workers);
}

void judge(const std::vector<row>& rows, std::vector<verdict>& all) {
  std::vector<double> ratios;
  demand worst("over the best schedule's", fmt::format("<= {}", worst_most));
  for (const row& r : rows) {
    ratios.push_back(r.over_best);
    worst.add(where_text(r), {r.over_best}, r.over_best <= worst_most);
  }
  const double mean = geometric_mean(ratios);
  all.push_back({.of = "over the best schedule's, mean",
                 .limit = fmt::format("<= {}", mean_most),
                 .found = {mean},
                 .held = mean <= mean_most});
  add_to(all, worst.made());
}

std::string to_text(const std::vector<row>& rows) {
  cli::table table(
      {"costs", ">iterations", ">workers", "best schedule", ">auto over best", ">stolen"});
  for (const row& r : rows) {
    table.add_row({r.costs, std::to_string(r.iterations), std::to_string(r.workers), r.best,
                   fmt::format("{:.3f}", r.over_best), cli::percent_text(r.stolen)});
  }
  return table.to_text();
}

ordered_json to_json(const row& r) {
  return {{"costs", r.costs}, {"iterations", r.iterations}, {"workers", r.workers},
          {"best", r.best},   {"over_best", r.over_best},   {"stolen", r.stolen}};
}

void run_auto_virtual(const cli::arguments& args) {
  run_options asked;
  cli::option_parser options(
      "bench auto-virtual", "[OPTIONS]",
      "auto on 8, 32 and 128 workers in virtual time, where every machine finds the same: against\n"
      "every schedule that is told nothing and remembers nothing.",
      "Exit status 1 also when a demand is not held.");
  add_json_option(options, asked);
  if (!options.read(args)) return;
  result_file json(asked.json_file);
  const std::vector<row> rows = all_rows();
  std::vector<verdict> verdicts;
  judge(rows, verdicts);
  fmt::print("{}\n{}", to_text(rows), bench::to_text(verdicts));
  json.write({{"schema", "doall-bench-auto-virtual/2"},
              {"rows", list_json(rows)},
              {"verdicts", list_json(verdicts)}});
  const bool held =
      std::ranges::all_of(verdicts, [](const verdict& v) { return v.held.value_or(false); });
  if (!held) throw cli::failure(cli::failed, "a demand is not held");
}

const experiment here{"auto-virtual", run_auto_virtual};

}  // namespace
}  // namespace doall::bench
