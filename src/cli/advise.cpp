// doall advise: for each recorded loop, which schedule a machine's model runs it best under, what
// that would gain, and where the time goes that is lost (advice.hpp).
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/file_text.hpp"
#include "cli/command.hpp"
#include "process/options.hpp"
#include "process/result_file.hpp"
#include "report/advice.hpp"
#include "report/model_files.hpp"
#include "schedule/registry.hpp"
#include "sim/workload.hpp"
#include "text/table.hpp"
#include "text/version.hpp"

namespace doall::cli {
namespace {

using nlohmann::ordered_json;

constexpr double ns_in_us = 1'000;

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
  return stamped("doall-advise/1", {{"machine", on.name}, {"workers", workers}, {"loops", loops}});
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
    const auto text = base::contents(file);
    if (!text) throw std::invalid_argument(fmt::format("\"{}\" cannot be read", file));
    const sim::workload work = sim::read_workload(file, *text);
    const sim::machine on = sim::in_nanoseconds(find_machine(machine));
    if (workers == 0) workers = on.processors;
    if (workers > on.processors) {
      throw std::invalid_argument(fmt::format("--workers: {} of machine {}, expected 1 to {}",
                                              workers, on.name, on.processors));
    }
    std::vector<advice> all;
    const std::size_t each = schedules::registry().size();
    std::size_t done = 0;
    for (const sim::workload_loop& loop : work.loops) {
      all.push_back(advise(loop, on, workers, [&](std::string_view schedule) {
        show_progress(fmt::format("{} under {}", loop.name, schedule), done++,
                      work.loops.size() * each);
      }));
    }
    show_progress("");
    if (json)
      fmt::print("{}\n", json_text(to_json(all, on, workers)));
    else
      print(all, on, workers);
  } catch (const std::invalid_argument& e) {
    throw failure(bad_usage, fmt::format("{}; nothing was run", e.what()));
  }
  return succeeded;
}

}  // namespace doall::cli
