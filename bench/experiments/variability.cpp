// doall bench variability: how much the time of one and the same program differs from run
// to run.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "driver/programs.hpp"
#include "driver/report.hpp"
#include "text/chart.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

using nlohmann::ordered_json;

// A turn's runs; as many turns as make up the number asked for.
constexpr unsigned runs_a_turn = 10;

// Parts of the runs that take no longer than their quantile.
constexpr std::array quantile_parts{0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0};

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
  const std::vector<double> times_ns = s.all(v.member);
  std::vector<double> found;
  for (const double part : quantile_parts) found.push_back(quantile_of(times_ns, part));
  return found;
}

// A program's tables: the whole of it, and its fine loops.
std::string table_text(const program_result& r) {
  std::string text;
  for (const view& v : views_of(r)) {
    std::vector<cli::table::column> columns{fmt::format("{}, {}", r.program, v.name)};
    for (const double part : quantile_parts) {
      columns.push_back(fmt::format(">{:.0f}%", part * 100));
    }
    columns.push_back(">99% over 50%");
    columns.push_back("best setting");
    cli::table table(std::move(columns));
    for (const std::string& name : r.names()) {
      const series& s = *r.fastest(name);
      std::vector<std::string> cells{name};
      for (const double ns : quantiles(s, v)) cells.push_back(cli::duration_text(ns));
      const std::vector<double> times_ns = s.all(v.member);
      cells.push_back(fmt::format("{:.2f}", quantile_of(times_ns, 0.99) / median_of(times_ns)));
      cells.push_back(s.of.who->setting);
      table.add_row(std::move(cells));
    }
    text += '\n' + table.to_text();
  }
  return text;
}

ordered_json distribution_json(const series& s, const view& v) {
  ordered_json list = ordered_json::array();
  const std::vector<double> found = quantiles(s, v);
  for (std::size_t q = 0; q < found.size(); ++q) {
    list.push_back({{"part", quantile_parts[q]}, {"ns", rounded(found[q], of_programs_ns)}});
  }
  return list;
}

// Up to the 99th percentile: what lies beyond would press the rest together, and is in
// the table.
cli::curve distribution_curve(const series& s, const view& v, double unit_ns) {
  constexpr double last = 0.99;
  cli::curve drawn{name_of(s.of), {}, {}};
  std::vector<double> times_ns = s.all(v.member);
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

cli::panel panel_of(const program_result& r, const view& v) {
  const series* reference = r.fastest(reference_name);
  if (reference == nullptr) reference = &r.all.front();
  const double unit_ns = median_of(reference->all(v.member));
  cli::panel made{fmt::format("{}, {}", r.program, v.name), {}};
  for (const std::string& name : r.names()) {
    made.curves.push_back(distribution_curve(*r.fastest(name), v, unit_ns));
  }
  return made;
}

// Cumulative distributions, as fine-grain's Figures 13 and 15: a panel for each program,
// and one for its fine loops. Times are over the median of our default's.
std::string to_svg(const programs_outcome& o) {
  cli::chart c{.title = fmt::format("{} runs, {} threads, on {}", o.asked.rounds * runs_a_turn,
                                    o.asked.setting.threads, machine_name()),
               .x_label = "time over the median of the native default's",
               .y_label = "part of the runs",
               .x_text = [](double x) { return fmt::format("{:g}", x); },
               .axes = cli::scale::linear,
               .panels = {}};
  for (const program_result& p : o.programs) {
    for (const view& v : views_of(p)) c.panels.push_back(panel_of(p, v));
  }
  return to_svg(c);
}

std::string header_text(const programs_outcome& o) {
  return fmt::format(
             "The distribution of {} runs, size {}, {}, on {}\n"
             "N%: so many of the runs take no longer\n",
             o.asked.rounds * runs_a_turn, o.choice.size, threads_text(o.asked.setting),
             machine_name()) +
         peers_text(o);
}

// Schema "doall-bench-variability/1"; this file's page has it.
ordered_json document(const programs_outcome& o) {
  ordered_json json = to_json(o, "variability");
  json["runs"] = o.asked.rounds * runs_a_turn;
  json["programs"] = ordered_json::array();
  for (const program_result& p : o.programs) {
    ordered_json rows = ordered_json::array();
    for (const series& s : p.all) {
      ordered_json row = to_json(s.of);
      row["runs"] = s.runs.size();
      row["total"] = distribution_json(s, whole);
      row["fine"] = nullptr;
      if (s.tells_fine_loops()) row["fine"] = distribution_json(s, fine);
      rows.push_back(std::move(row));
    }
    json["programs"].push_back({{"program", p.program}, {"rows", std::move(rows)}});
  }
  return json;
}

void run_variability(const cli::arguments& args) {
  run_options asked{.setting = default_contest()};
  // Those of fine-grain's figures.
  program_choice choice{.programs = {"hydro", "betweenness", "pagerank"}};
  unsigned runs = 200;
  cli::option_parser options(
      "bench variability", "[OPTIONS]",
      "How the times of many runs of a program are distributed, whole and in fine loops:\n"
      "every runtime in turn in one run, ten runs a turn.",
      "Exit status 1 also when an answer is wrong.");
  options.add_option("--runs", runs, "Runs of each program, rounded up to tens; by default 200")
      .between(1U, 100'000U)
      .shown_as("N");
  add_choice_options(options, choice);
  add_contest_options(options, asked.setting);
  add_json_option(options, asked);
  add_svg_option(options, asked, "the cumulative distributions to FILE");
  if (!options.read(args)) return;
  asked.rounds = (runs + runs_a_turn - 1) / runs_a_turn;
  result_file json(asked.json_file);
  result_file svg(asked.svg_file);
  const programs_outcome o =
      measure_fine_programs(asked, choice, {runs_a_turn, runs_a_turn}, header_text, table_text);
  json.write(document(o));
  svg.write(to_svg(o));
}

const experiment here{"variability", run_variability};

}  // namespace
}  // namespace doall::bench
