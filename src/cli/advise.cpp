// doall advise: for each recorded loop, which schedule a machine's model runs it best under, what
// that would gain, and where the time goes that is lost.
//
// Everything is predicted, also what the schedule of the recorded run would take there: so both
// sides leave out the same things (docs/guide/simulate.md).
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "cli/command.hpp"
#include "cli/model_files.hpp"
#include "cli/options.hpp"
#include "cli/result_file.hpp"
#include "cli/table.hpp"
#include "schedule/grammar.hpp"
#include "schedule/registry.hpp"
#include "sim/workload.hpp"

namespace doall::cli {
namespace {

using base::u64;
using nlohmann::ordered_json;

constexpr double ns_in_us = 1'000;

// The workers' time, P times a call's, in parts: in iterations; until the data of these are there;
// to get chunks, with the wait for a queue; waiting for the last worker; in the launch and the
// join.
struct shares {
  double work = 0;
  double communication = 0;
  double synchronisation = 0;
  double imbalance = 0;
  double burden = 0;
};

struct prediction {
  std::string schedule;
  double time_us = 0;  // of a call
  shares of;
};

struct advice {
  const sim::workload_loop* loop = nullptr;
  std::optional<prediction> today;  // the recorded schedule, there
  prediction best;
  double serial_us = 0;

  bool pays() const { return best.time_us < serial_us; }
};

// Adds one call's worker-times, but for the join.
void add(shares& to, const sim::execution& e) {
  const double makespan = e.makespan();
  std::vector<double> began(e.workers.size());
  for (std::size_t w = 0; w < began.size(); ++w) began[w] = e.workers[w].left;
  for (const sim::dealt_chunk& d : e.chunks) began[d.worker] = std::min(began[d.worker], d.asked);
  for (std::size_t w = 0; w < began.size(); ++w) {
    const sim::worker_account& account = e.workers[w];
    to.work += account.busy - account.moving;
    to.communication += account.moving;
    to.imbalance += makespan - account.left;
    to.burden += began[w];
    to.synchronisation += std::max(0.0, account.left - began[w] - account.busy);
  }
}

prediction predict(const sim::workload_loop& loop, const sim::machine& on, std::uint32_t workers,
                   const schedules::spec& schedule) {
  constexpr u64 calls_most = 8;  // some schedules learn from call to call
  sim::program calls = sim::program_of(loop);
  calls.loops = std::min(calls.loops, calls_most);
  shares parts;
  double makespans = 0;
  const double time =
      sim::run_program(calls, on, workers, schedule, 1, [&](u64, const sim::execution& e) {
        add(parts, e);
        makespans += e.makespan();
      }).time;
  parts.burden += (time - makespans) * workers;
  const double whole = time * workers;
  for (double* part :
       {&parts.work, &parts.communication, &parts.synchronisation, &parts.imbalance, &parts.burden})
    *part = whole == 0 ? 0 : *part / whole;
  return {schedules::to_text(schedule), time / static_cast<double>(calls.loops), parts};
}

// The recorded schedule, unless another one is better by more than predictions tell apart.
// `before`, `loops`: how many of all loops are done.
advice advise(const sim::workload_loop& loop, const sim::machine& on, std::uint32_t workers,
              std::size_t before, std::size_t loops) {
  const std::size_t each = schedules::registry().size();
  std::size_t done = before * each;
  advice made;
  made.loop = &loop;
  made.serial_us = loop.serial_ns() / ns_in_us;
  std::vector<prediction> all;
  std::vector<sim::alternative> times;
  const auto consider = [&](const schedules::spec& schedule) {
    all.push_back(predict(loop, on, workers, schedule));
    times.push_back({schedule, all.back().time_us});
  };
  for (const schedules::entry& e : schedules::registry()) {
    show_progress(fmt::format("{} under {}", loop.name, e.name), done++, loops * each);
    consider({&e, {}});
  }
  if (loop.ran) {
    if (const auto parsed = schedules::parse(loop.ran->schedule)) {
      consider(parsed.value);
      made.today = all.back();
    }
  }
  made.best = all[sim::best_of(times)];
  if (made.today && made.today->time_us <= sim::alike * made.best.time_us) made.best = *made.today;
  return made;
}

std::string text_of_advice(const advice& a) {
  if (!a.pays()) return "run it on one thread";
  if (!a.today) return fmt::format("use {}", a.best.schedule);
  if (a.today->schedule == a.best.schedule) return fmt::format("keep {}", a.best.schedule);
  return fmt::format("{} would save {}", a.best.schedule,
                     percent_text(1 - a.best.time_us / a.today->time_us));
}

std::string us_text(double us) { return fmt::format("{:.4g}", us); }

void print(const std::vector<advice>& all, const sim::machine& on, std::uint32_t workers) {
  table rows({"loop", "recorded under", ">P", ">us", ">us there", ">imbalance", ">sync", ">data",
              ">burden", "best there", ">us", ">speed-up", "advice"});
  for (const advice& a : all) {
    std::vector<std::string> cells{a.loop->name};
    if (const auto& ran = a.loop->ran) {
      cells.insert(cells.end(),
                   {ran->schedule, std::to_string(ran->workers), us_text(ran->ns / ns_in_us)});
    } else {
      cells.insert(cells.end(), {"-", "-", "-"});
    }
    if (a.today) {
      cells.insert(cells.end(),
                   {us_text(a.today->time_us), percent_text(a.today->of.imbalance),
                    percent_text(a.today->of.synchronisation),
                    percent_text(a.today->of.communication), percent_text(a.today->of.burden)});
    } else {
      cells.insert(cells.end(), {"-", "-", "-", "-", "-"});
    }
    const double speed_up = a.best.time_us == 0 ? 1 : a.serial_us / a.best.time_us;
    cells.insert(cells.end(), {a.best.schedule, us_text(a.best.time_us),
                               fmt::format("{:.2f}", speed_up), text_of_advice(a)});
    rows.add_row(cells);
  }
  fmt::print("machine {}, {} workers: what a call takes there is predicted\n\n{}", on.name, workers,
             rows.to_text());
}

ordered_json to_json(const prediction& p) {
  return {{"schedule", p.schedule},      {"time_us", p.time_us},
          {"work", p.of.work},           {"communication", p.of.communication},
          {"imbalance", p.of.imbalance}, {"synchronisation", p.of.synchronisation},
          {"burden", p.of.burden}};
}

ordered_json to_json(const std::vector<advice>& all, const sim::machine& on,
                     std::uint32_t workers) {
  ordered_json loops = ordered_json::array();
  for (const advice& a : all) {
    loops.push_back({{"loop", a.loop->name},
                     {"serial_us", a.serial_us},
                     {"today", a.today ? to_json(*a.today) : ordered_json(nullptr)},
                     {"best", to_json(a.best)},
                     {"parallel_pays", a.pays()},
                     {"advice", text_of_advice(a)}});
  }
  return {
      {"schema", "doall-advise/1"}, {"machine", on.name}, {"workers", workers}, {"loops", loops}};
}

}  // namespace

int advise_command(const arguments& args) {
  std::string file;
  std::string machine = "2x64";
  std::uint32_t workers = 0;
  bool json = false;
  option_parser options(
      "advise", "FILE [OPTIONS]",
      "For each loop of a recording ('doall run --record=FILE'): the best schedule on a machine's\n"
      "model, its predicted time beside that of the schedule it ran under, and what is lost.",
      fmt::format("Machines:{}\n\nExample:\n  doall run --record=costs.json ./app\n"
                  "  doall advise costs.json --machine=2x96\n",
                  names_of_machines()));
  options.add_option("FILE", file, "A recording, or a workload (docs/guide/simulate.md)")
      .required();
  options
      .add_option("--machine", machine,
                  fmt::format("A machine by name, or a file; by default {}", machine))
      .shown_as("NAME|FILE");
  options.add_option("--workers", workers, "By default all of the machine")
      .between(1U, 1024U)
      .shown_as("P");
  options.add_flag("--json", json, "As JSON, schema doall-advise/1");
  if (!options.read(args)) return succeeded;
  try {
    const auto text = text_of(file);
    if (!text) throw std::invalid_argument(fmt::format("\"{}\" cannot be read", file));
    const sim::workload work = sim::read_workload(file, *text);
    const sim::machine on = sim::in_nanoseconds(find_machine(machine));
    if (workers == 0) workers = on.processors;
    if (workers > on.processors) {
      throw std::invalid_argument(fmt::format("--workers: {} of machine {}, expected 1 to {}",
                                              workers, on.name, on.processors));
    }
    std::vector<advice> all;
    for (const sim::workload_loop& loop : work.loops)
      all.push_back(advise(loop, on, workers, all.size(), work.loops.size()));
    show_progress("");
    if (json)
      fmt::print("{}\n", to_json(all, on, workers).dump(2));
    else
      print(all, on, workers);
  } catch (const std::invalid_argument& e) {
    throw failure(bad_usage, fmt::format("{}; nothing was run", e.what()));
  }
  return succeeded;
}

}  // namespace doall::cli
