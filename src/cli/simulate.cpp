// doall simulate: a workload's loops on a machine's model, under the shipped schedules, in virtual
// time: how a loop would behave on more cores than this machine has.
//
// Length: one command with two models, of a machine and of MPI ranks, their options and tables.
#include <fmt/format.h>
#include <doall/mpi/groups.hpp>
#include <doall/mpi/parts.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "base/file_text.hpp"
#include "cli/chunk_picture.hpp"
#include "cli/command.hpp"
#include "process/options.hpp"
#include "process/result_file.hpp"
#include "report/model_files.hpp"
#include "schedule/grammar.hpp"
#include "schedule/registry.hpp"
#include "sim/rank_simulation.hpp"
#include "sim/workload.hpp"
#include "text/chart.hpp"
#include "text/table.hpp"
#include "text/version.hpp"

namespace doall::cli {
namespace {

using base::u64;
using nlohmann::ordered_json;

constexpr std::string_view uniform = "uniform";
constexpr std::string_view power_law = "power-law";

struct request {
  std::string workload;
  u64 iterations = 10'000;
  double mean_ns = 1'000;
  std::string machine = "2x64";
  std::vector<std::uint32_t> workers;
  std::vector<std::string> schedules = {"all"};
  u64 seed = 1;
  std::uint32_t ranks = 0;  // 0: one machine
  std::uint32_t workers_per_rank = 1;
  std::uint32_t group_nodes = mpi::detail::usual_group_nodes;
  std::string inside = mpi::detail::usual_inside;
  sim::rank_prices messages;
  bool timeline = false;
  std::string json;
  std::string svg;
};

struct named_schedule {
  std::string name;
  schedules::spec what;
};

// One loop under one schedule on so many workers: all its calls.
struct outcome {
  std::uint32_t workers = 0;
  double time_us = 0;
  double speed_up = 0;  // over the loop's iterations one after the other
  u64 synchronisations = 0;
};

struct under_schedule {
  std::string schedule;
  std::vector<outcome> by_workers;
};

struct simulated_loop {
  const sim::workload_loop* loop = nullptr;
  std::vector<under_schedule> all;
};

[[noreturn]] void refuse(const std::string& what) {
  throw failure(bad_usage, what + "; nothing was run");
}

std::string shape_names() {
  std::string names(uniform);
  for (const sim::cost_shape& s : sim::cost_shapes()) names += fmt::format(", {}", s.name);
  return fmt::format("{}, {}", names, power_law);
}

sim::workload find_workload(const request& asked) {
  if (asked.workload == power_law) {
    return sim::power_law_workload(asked.iterations, asked.mean_ns, asked.seed);
  }
  if (asked.workload == uniform) {
    return {.name = asked.workload,
            .loops = {{.name = asked.workload,
                       .iterations = asked.iterations,
                       .costs = sim::iteration_costs(asked.mean_ns)}}};
  }
  if (const auto* shape = sim::find_cost_shape(asked.workload))
    return sim::shaped_workload(*shape, asked.iterations, asked.mean_ns);
  if (const auto text = base::contents(asked.workload))
    return sim::read_workload(asked.workload, *text);
  refuse(fmt::format("--workload: \"{}\" is neither a file that can be read nor one of {}",
                     asked.workload, shape_names()));
}

std::vector<named_schedule> read_schedules(const std::vector<std::string>& texts) {
  std::vector<named_schedule> all;
  if (texts == std::vector<std::string>{"all"}) {
    for (const schedules::entry& e : schedules::registry())
      all.push_back({std::string(e.name), {&e, {}}});
    return all;
  }
  for (const std::string& text : texts) {
    const auto parsed = schedules::parse(text);
    if (!parsed) throw failure(bad_usage, parsed.error);
    all.push_back({text, parsed.value});
  }
  return all;
}

// Powers of two, and all of the machine.
std::vector<std::uint32_t> worker_counts(const std::vector<std::uint32_t>& asked,
                                         const sim::machine& on) {
  std::vector<std::uint32_t> all = asked;
  if (all.empty()) {
    for (std::uint32_t p = 1; p < on.processors; p *= 2) all.push_back(p);
    all.push_back(on.processors);
  }
  for (const std::uint32_t p : all) {
    if (p == 0 || p > on.processors) {
      refuse(
          fmt::format("--workers: {} of machine {}, expected 1 to {}", p, on.name, on.processors));
    }
  }
  return all;
}

std::vector<simulated_loop> simulate(const sim::workload& work, const sim::machine& on,
                                     const std::vector<named_schedule>& schedules,
                                     const std::vector<std::uint32_t>& workers, u64 seed) {
  constexpr double ns_in_us = 1'000;
  const std::size_t steps = work.loops.size() * schedules.size() * workers.size();
  std::size_t done = 0;
  std::vector<simulated_loop> all;
  for (const sim::workload_loop& loop : work.loops) {
    simulated_loop& into = all.emplace_back(simulated_loop{&loop, {}});
    const double serial_us = loop.serial_ns() * static_cast<double>(loop.calls) / ns_in_us;
    for (const named_schedule& s : schedules) {
      under_schedule& row = into.all.emplace_back(under_schedule{s.name, {}});
      for (const std::uint32_t p : workers) {
        show_progress(fmt::format("{} under {}, P = {}", loop.name, s.name, p), done++, steps);
        const auto run = sim::run_program(sim::program_of(loop), on, p, s.what, seed);
        row.by_workers.push_back(
            {p, run.time, run.time == 0 ? 1 : serial_us / run.time, run.synchronisations});
      }
    }
  }
  show_progress("");
  return all;
}

void print(const simulated_loop& one) {
  std::vector<table::column> columns{"schedule"};
  for (const outcome& o : one.all.front().by_workers) {
    columns.emplace_back(fmt::format(">P = {}", o.workers));
  }
  columns.emplace_back(">ms on all");
  table rows(columns);
  for (const under_schedule& s : one.all) {
    std::vector<std::string> cells{s.schedule};
    for (const outcome& o : s.by_workers) cells.push_back(fmt::format("{:.2f}", o.speed_up));
    cells.push_back(fmt::format("{:.4g}", s.by_workers.back().time_us / 1'000));
    rows.add_row(cells);
  }
  fmt::print(
      "{}: {} iterations of {:.4g} ns in the mean, called {}; speed-ups\n{}\n", one.loop->name,
      one.loop->iterations,
      one.loop->iterations == 0 ? 0
                                : one.loop->serial_ns() / static_cast<double>(one.loop->iterations),
      one.loop->calls == 1 ? "once" : fmt::format("{} times", one.loop->calls), rows.to_text());
}

// What each worker does in one call, on all workers.
void print_timeline(const simulated_loop& one, const sim::machine& on,
                    const named_schedule& schedule, std::uint32_t workers) {
  constexpr std::size_t shown = 16;
  const sim::execution e = sim::run_once({.schedule = schedule.what,
                                          .shape = {one.loop->iterations, workers},
                                          .costs = one.loop->costs,
                                          .unit = on.unit,
                                          .prices = on.sync});
  fmt::print("{} under {}, {} workers, microseconds\n{}\n", one.loop->name, schedule.name, workers,
             timeline(e, excerpt::of(workers, shown, shown), standard_output_canvas()));
}

ordered_json to_json(const sim::workload& work, const sim::machine& on,
                     const std::vector<simulated_loop>& all, u64 seed) {
  ordered_json rows = ordered_json::array();
  for (const simulated_loop& one : all) {
    for (const under_schedule& s : one.all) {
      for (const outcome& o : s.by_workers) {
        rows.push_back({{"loop", one.loop->name},
                        {"schedule", s.schedule},
                        {"workers", o.workers},
                        {"time_us", o.time_us},
                        {"speed_up", o.speed_up},
                        {"synchronisations", o.synchronisations}});
      }
    }
  }
  return stamped("doall-simulate/1",
                 {{"workload", work.name}, {"machine", on.name}, {"seed", seed}, {"rows", rows}});
}

// A panel for each loop, with the ideal.
chart speed_ups(const std::vector<simulated_loop>& all, const sim::machine& on) {
  chart made{.title = fmt::format("on {}", on.name),
             .x_label = "workers",
             .y_label = "speed-up",
             .x_text = [](double p) { return fmt::format("{:g}", p); },
             .axes = scale::linear,
             .panels = {}};
  for (const simulated_loop& one : all) {
    panel& drawn = made.panels.emplace_back(panel{one.loop->name, {}});
    curve ideal{"one worker's, times P", {}, {}, true};
    for (const under_schedule& s : one.all) {
      curve& c = drawn.curves.emplace_back(curve{s.schedule, {}, {}});
      for (const outcome& o : s.by_workers) {
        c.x.push_back(o.workers);
        c.y.push_back(o.speed_up);
      }
    }
    for (const double p : drawn.curves.front().x) {
      ideal.x.push_back(p);
      ideal.y.push_back(p);
    }
    drawn.curves.push_back(ideal);
  }
  return made;
}

// The loops over MPI ranks: `between` ranks by each of the schedules.
void simulate_over_ranks(const sim::workload& work, const request& asked,
                         const std::vector<named_schedule>& between, result_file json) {
  constexpr double ns_in_ms = 1e6;
  const auto inside = schedules::parse(asked.inside);
  if (!inside) throw failure(bad_usage, "--inside: " + inside.error);
  const bool all = asked.schedules == std::vector<std::string>{"all"};
  const auto splits = std::ranges::find_if(
      between, [](const named_schedule& s) { return s.what.has(schedules::splitting); });
  if (!all && splits != between.end()) {
    refuse(
        fmt::format("--schedules: {} splits loops and deals no chunks to ranks, expected one "
                    "that does, such as guided",
                    splits->name));
  }
  ordered_json lines = ordered_json::array();
  fmt::print("{} ranks of {} workers, {} inside; a message takes {:g} us\n\n", asked.ranks,
             asked.workers_per_rank, asked.inside, asked.messages.message_ns / 1'000);
  for (const sim::workload_loop& loop : work.loops) {
    table rows({"between", ">dealers", ">ms", ">of ideal", ">rank 0 busy", ">busiest", ">wishes",
                ">chunks", ">parts"});
    const auto simulate_one = [&](const named_schedule& s, std::uint32_t group_nodes) {
      show_progress(fmt::format("{} under {}", loop.name, s.name));
      const sim::rank_outcome o = sim::simulate_ranks({.iterations = loop.iterations,
                                                       .costs = loop.costs,
                                                       .between = s.what,
                                                       .inside = inside.value,
                                                       .ranks = asked.ranks,
                                                       .workers = asked.workers_per_rank,
                                                       .group_nodes = group_nodes,
                                                       .prices = asked.messages});
      const double ratio = o.ideal_ns == 0 ? 1 : o.time_ns / o.ideal_ns;
      rows.add_row({s.name, std::to_string(o.dealers), fmt::format("{:.4g}", o.time_ns / ns_in_ms),
                    fmt::format("{:.3f}", ratio), fmt::format("{:.1f} %", 100 * o.desk_busy),
                    fmt::format("{:.1f} %", 100 * o.most_busy), std::to_string(o.wishes),
                    std::to_string(o.chunks), std::to_string(o.parts)});
      lines.push_back({{"loop", loop.name},
                       {"between", s.name},
                       {"inside", asked.inside},
                       {"ranks", asked.ranks},
                       {"workers_per_rank", asked.workers_per_rank},
                       {"time_us", o.time_ns / 1'000},
                       {"of_ideal", ratio},
                       {"dealers", o.dealers},
                       {"desk_busy", o.desk_busy},
                       {"most_busy", o.most_busy},
                       {"wishes", o.wishes},
                       {"chunks", o.chunks},
                       {"parts", o.parts}});
      return o.dealers;
    };
    for (const named_schedule& s : between) {
      if (s.what.has(schedules::splitting)) continue;
      if (asked.ranks <= asked.group_nodes) {
        simulate_one(s, asked.ranks);
      } else if (simulate_one(s, asked.group_nodes) > 1) {
        simulate_one(s, asked.ranks);  // rank 0 deals to all, to compare
      }
    }
    show_progress("");
    fmt::print("{}: {} iterations\n{}\n", loop.name, loop.iterations, rows.to_text());
  }
  json.write(stamped("doall-simulate-ranks/1", {{"workload", work.name}, {"rows", lines}}));
}

void declare(option_parser& options, request& asked) {
  options.add_option("--workload", asked.workload, "Costs by name, or a file")
      .shown_as("NAME|FILE")
      .required();
  options
      .add_option("-n,--iterations", asked.iterations,
                  fmt::format("Of a workload by name; by default {}", asked.iterations))
      .shown_as("N");
  options
      .add_option("--cost-ns", asked.mean_ns,
                  fmt::format("What its mean iteration takes; by default {}", asked.mean_ns))
      .between(0.0, 1e12)
      .shown_as("NS");
  options
      .add_option("--machine", asked.machine,
                  fmt::format("A machine by name, or a file; by default {}", asked.machine))
      .shown_as("NAME|FILE");
  options
      .add_option("--workers", asked.workers,
                  "Between commas; by default powers of two and all of the machine")
      .parted_by(',')
      .shown_as("LIST");
  options.add_option("--schedules", asked.schedules, "Parted by ';'; by default all")
      .shown_as("S;S;...")
      .parted_by(';');
  options.add_option("--seed", asked.seed, "Of who comes first to a loop; by default 1")
      .shown_as("N");
  options
      .add_option("--ranks", asked.ranks,
                  "MPI ranks, a machine each, that share each loop; --schedules are between them")
      .shown_as("R");
  options.add_option("--workers-per-rank", asked.workers_per_rank, "Of each; by default 1")
      .shown_as("P");
  options
      .add_option("--group-nodes", asked.group_nodes,
                  fmt::format("Ranks that one deals to; more: a tree of dealers beside rank 0 "
                              "alone; by default {}",
                              asked.group_nodes))
      .shown_as("G");
  options
      .add_option("--inside", asked.inside, "The schedule inside ranks; by default " + asked.inside)
      .shown_as("S");
  options
      .add_option("--message-ns", asked.messages.message_ns,
                  fmt::format("What a message takes; by default {}", asked.messages.message_ns))
      .between(0.0, 1e9)
      .shown_as("NS");
  options
      .add_option(
          "--wish-ns", asked.messages.wish_ns,
          fmt::format("What rank 0 takes to answer one; by default {}", asked.messages.wish_ns))
      .between(0.0, 1e9)
      .shown_as("NS");
  options.add_flag("--timeline", asked.timeline,
                   "What each worker does in a call, under the first schedule");
  options.add_option("--json", asked.json, "Also writes the numbers there").shown_as("FILE");
  options.add_option("--svg", asked.svg, "Also draws the speed-ups").shown_as("FILE");
}

}  // namespace

int simulate_command(const arguments& args) {
  request asked;
  option_parser options(
      "simulate", "--workload=NAME|FILE [OPTIONS]",
      "Runs a workload's loops on the model of a machine, under the shipped schedules, in virtual\n"
      "time. A seed and a version give the same numbers on any machine.",
      fmt::format("Workloads by name: {}\nMachines:{}\n\nFiles: docs/guide/simulate.md.\n\n"
                  "Examples:\n"
                  "  doall simulate --workload=triangular -n 100000 --machine=2x96\n"
                  "  doall simulate --workload=loops.json --schedules='wsrw;affinity,k=4' "
                  "--svg=speedup.svg\n"
                  "  doall simulate --workload=power-law -n 10000000 --ranks=64 "
                  "--workers-per-rank=48 --schedules='wsrw;guided' --inside=wsrw\n",
                  shape_names(), names_of_machines()));
  declare(options, asked);
  if (!options.read(args)) return succeeded;
  try {
    const sim::workload work = find_workload(asked);
    const auto schedules = read_schedules(asked.schedules);
    if (options.has("--ranks")) {
      if (asked.ranks == 0 || asked.workers_per_rank == 0) {
        refuse(fmt::format("{} ranks of {} workers, expected at least one of each", asked.ranks,
                           asked.workers_per_rank));
      }
      if (asked.group_nodes == 0) refuse("--group-nodes: 0, expected at least 1");
      simulate_over_ranks(work, asked, schedules, result_file(asked.json));
      return succeeded;
    }
    const sim::machine on = sim::in_nanoseconds(find_machine(asked.machine));
    const auto workers = worker_counts(asked.workers, on);
    require_different_files({{"--json", asked.json}, {"--svg", asked.svg}});
    result_file json(asked.json);
    result_file svg(asked.svg, "chart");
    const auto all = simulate(work, on, schedules, workers, asked.seed);
    fmt::print("machine {}, {} processors; seed {}\n\n", on.name, on.processors, asked.seed);
    for (const simulated_loop& one : all) {
      print(one);
      if (asked.timeline) print_timeline(one, on, schedules.front(), workers.back());
    }
    json.write(to_json(work, on, all, asked.seed));
    svg.write(to_svg(speed_ups(all, on)));
  } catch (const std::invalid_argument& e) {
    refuse(e.what());
  }
  return succeeded;
}

}  // namespace doall::cli
