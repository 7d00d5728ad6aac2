// doall bench variability: how much the time of one and the same program differs from run
// to run.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/table.hpp"
#include "driver/benchmark.hpp"
#include "driver/chart.hpp"
#include "driver/experiments.hpp"
#include "driver/load_watch.hpp"
#include "driver/machine.hpp"
#include "driver/program_measurement.hpp"
#include "driver/statistics.hpp"

namespace doall::bench {
namespace {

// What came out, for people, for programs, and as a picture.

struct variability_report {
  contest setting;
  program_choice choice;
  unsigned runs = 0;  // of each program, for everybody
  std::vector<std::string> left_out;
  double others_share = 0;
  std::vector<program_result> programs = {};
};

// Parts of the runs that take no longer than their quantile.
inline constexpr std::array quantile_parts{0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0};

std::string header_text(const variability_report& r);
std::string to_text(const program_result& r);  // tables: the whole program, its fine loops

// Schema "doall-bench-variability/1"; this file's page has it.
nlohmann::ordered_json to_json(const variability_report& r);

// Cumulative distributions, as fine-grain's Figures 13 and 15: a panel for each program,
// and one for its fine loops. Times are over the median of our default's.
std::string to_svg(const variability_report& r);

using cli::align;
using nlohmann::ordered_json;

// What is distributed: the whole program's time, or its fine loops'.
struct view {
  const char* name;
  double run_times::* member;
};
constexpr view whole{"total", &run_times::total_ns};
constexpr view fine{"fine loops", &run_times::fine_ns};

std::vector<view> views_of(const program_result& r) {
  if (r.all.front().tells_fine_loops()) return {whole, fine};
  return {whole};
}

std::vector<double> quantiles(const series& s, const view& v) {
  const std::vector<double> times_ns = all_of(s, v.member);
  std::vector<double> found;
  for (const double part : quantile_parts) found.push_back(quantile_of(times_ns, part));
  return found;
}

std::string table_text(const program_result& r, const view& v) {
  std::vector<cli::table::column> columns{{fmt::format("{}, {}", r.program, v.name)}};
  for (const double part : quantile_parts) {
    columns.push_back({fmt::format("{:.0f}%", part * 100), align::right});
  }
  columns.push_back({"99% over 50%", align::right});
  columns.push_back({"best setting"});
  cli::table table(std::move(columns));
  for (const std::string& name : r.names()) {
    const series& s = *r.fastest(name);
    std::vector<std::string> cells{name};
    for (const double ns : quantiles(s, v)) cells.push_back(cli::duration_text(ns));
    const std::vector<double> times_ns = all_of(s, v.member);
    cells.push_back(fmt::format("{:.2f}", quantile_of(times_ns, 0.99) / median_of(times_ns)));
    cells.push_back(s.of.who->setting);
    table.add_row(std::move(cells));
  }
  return '\n' + table.to_text();
}

// A tenth of a microsecond is finer than such programs repeat.
double rounded(double ns) { return std::round(ns / 100) * 100; }

ordered_json distribution_json(const series& s, const view& v) {
  ordered_json list = ordered_json::array();
  const std::vector<double> found = quantiles(s, v);
  for (std::size_t q = 0; q < found.size(); ++q) {
    list.push_back({{"part", quantile_parts[q]}, {"ns", rounded(found[q])}});
  }
  return list;
}

ordered_json row_json(const series& s) {
  const contender& who = *s.of.who;
  ordered_json json{{"runtime", who.runtime},
                    {"door", who.door},
                    {"schedule", s.of.schedule},
                    {"setting", who.setting},
                    {"threads", who.lane->threads()},
                    {"library", who.lane->library()},
                    {"runs", s.runs.size()},
                    {"total", distribution_json(s, whole)},
                    {"fine", nullptr}};
  if (s.tells_fine_loops()) json["fine"] = distribution_json(s, fine);
  return json;
}

// Up to the 99th percentile: what lies beyond would press the rest together, and is in
// the table.
curve distribution_curve(const series& s, const view& v, double unit_ns) {
  constexpr double last = 0.99;
  curve drawn{name_of(s.of), {}, {}};
  std::vector<double> times_ns = all_of(s, v.member);
  std::ranges::sort(times_ns);
  const auto count = static_cast<double>(times_ns.size());
  for (std::size_t i = 0; i < times_ns.size(); ++i) {
    const double part = static_cast<double>(i + 1) / count;
    if (part > last && i > 0) break;
    drawn.x.push_back(times_ns[i] / unit_ns);
    drawn.y.push_back(part);
  }
  return drawn;
}

panel panel_of(const program_result& r, const view& v) {
  const series* reference = r.fastest(reference_name);
  if (reference == nullptr) reference = &r.all.front();
  const double unit_ns = median_of(all_of(*reference, v.member));
  panel made{fmt::format("{}, {}", r.program, v.name), {}};
  for (const std::string& name : r.names()) {
    made.curves.push_back(distribution_curve(*r.fastest(name), v, unit_ns));
  }
  return made;
}

std::string header_text(const variability_report& r) {
  std::string text = fmt::format(
      "The distribution of {} runs, size {}, {} threads{}, on {}\n"
      "N%: so many of the runs take no longer\n",
      r.runs, r.choice.size, r.setting.threads, r.setting.pinned ? ", pinned" : "", machine_name());
  for (const std::string& who : r.left_out) text += "Left out: " + who + '\n';
  return text;
}

std::string to_text(const program_result& r) {
  std::string text;
  for (const view& v : views_of(r)) text += table_text(r, v);
  return text;
}

ordered_json to_json(const variability_report& r) {
  ordered_json json{{"schema", "doall-bench-variability/1"},
                    {"machine", machine_name()},
                    {"size", r.choice.size},
                    {"graph", r.choice.graph_file},
                    {"threads", r.setting.threads},
                    {"pinned", r.setting.pinned},
                    {"runs", r.runs},
                    {"others_cpu_share", r.others_share},
                    {"programs", ordered_json::array()},
                    {"left_out", r.left_out}};
  for (const program_result& p : r.programs) {
    ordered_json rows = ordered_json::array();
    for (const series& s : p.all) rows.push_back(row_json(s));
    json["programs"].push_back({{"program", p.program}, {"rows", std::move(rows)}});
  }
  return json;
}

std::string to_svg(const variability_report& r) {
  chart c{
      .title = fmt::format("{} runs, {} threads, on {}", r.runs, r.setting.threads, machine_name()),
      .x_label = "time over the median of the native default's",
      .y_label = "part of the runs",
      .x_text = [](double x) { return fmt::format("{:g}", x); },
      .axes = scale::linear,
      .panels = {}};
  for (const program_result& p : r.programs) {
    for (const view& v : views_of(p)) c.panels.push_back(panel_of(p, v));
  }
  return to_svg(c);
}

constexpr const char* name = "bench variability";
// A turn's runs; as many turns as make up the number asked for.
constexpr unsigned runs_a_turn = 10;

struct request {
  contest setting = default_contest(program_runtimes());
  // Those of fine-grain's figures.
  program_choice choice = {.programs = {"hydro", "betweenness", "pagerank"}};
  unsigned runs = 200;
  std::string json_file;
  std::string svg_file;
};

// False after --help.
bool read_request(const cli::arguments& args, request& r) {
  cli::option_parser options(
      name, "[OPTIONS]",
      "How the times of many runs of a program are distributed, whole and in fine loops:\n"
      "every runtime in turn in one run, ten runs a turn.",
      "Exit status 1 also when an answer is wrong.");
  options.add_option("--runs", r.runs, "Runs of each program, rounded up to tens; by default 200")
      ->check(CLI::Range(1U, 100'000U).description(""))
      ->type_name("N");
  add_choice_options(options, r.choice);
  add_contest_options(options, r.setting);
  options.add_option("--json", r.json_file, "Writes the numbers to FILE as well")
      ->type_name("FILE");
  options.add_option("--svg", r.svg_file, "Draws the cumulative distributions to FILE")
      ->type_name("FILE");
  return options.read(args);
}

void run(const cli::arguments& args) {
  request r;
  if (!read_request(args, r)) return;
  json_file json(r.json_file);
  result_file svg(r.svg_file);
  contenders all = start_program_lanes(r.setting, r.choice);
  const std::vector<std::string> programs = chosen_programs(r.choice, all.present);
  const unsigned rounds = (r.runs + runs_a_turn - 1) / runs_a_turn;
  variability_report made{r.setting, r.choice, rounds * runs_a_turn, std::move(all.left_out)};
  fmt::print("{}", header_text(made));

  const load_watch load(all.present);
  base::rng random(1);
  const turn_length length{runs_a_turn, runs_a_turn};
  for (const std::string& program : programs) {
    made.programs.push_back(measure(program, all.present, rounds, length, random, show_progress));
    show_progress("");
    fmt::print("{}", to_text(made.programs.back()));
    std::fflush(stdout);
  }
  made.others_share = load.others_share();
  fmt::print("\n{}", load_text(made.others_share));
  json.write(to_json(made));
  svg.write(to_svg(made));
}

}  // namespace

int run_variability(int argc, char** argv) {
  return run_benchmark(name, argc, argv, [](const cli::arguments& args) { run(args); });
}

}  // namespace doall::bench
