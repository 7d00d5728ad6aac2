// doall bench cows-compiled: COWS's Figure 19 with the costs that doall's plugin finds.
//
// The five kernels in plain OpenMP C, compiled by `doall cc` with each of the paper's optimisations
// on and off, run by wsrw in turn.
#include <fmt/format.h>

#include <algorithm>

#include "driver/comparison.hpp"
#include "driver/experiment.hpp"
#include "driver/programs.hpp"
#include "driver/report.hpp"
#include "kernels/cows_kernel.hpp"
#include "kernels/cows_programs.hpp"
#include "kernels/harness.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

using nlohmann::ordered_json;

struct compiled_cows : outcome {
  std::string size_name = "paper";
  std::vector<std::string> programs = {};
  std::vector<program_result> found = {};
};

const series& times_of(const program_result& r, const std::string& setting) {
  return *std::ranges::find(r.all, setting, [](const series& s) { return s.of.schedule; });
}

// wsrw's time over that without something: below 1 it saves time.
ratio saved(const program_result& r, const std::string& setting) {
  return ratio_of(times_of(r, "wsrw").rounds_ns, times_of(r, setting).rounds_ns);
}

ratio saved(const std::vector<program_result>& all, const std::string& setting) {
  std::vector<series_pair> pairs;
  for (const program_result& r : all)
    pairs.emplace_back(&times_of(r, "wsrw"), &times_of(r, setting));
  return mean_ratio_of(pairs);
}

std::vector<std::string> lesser_settings() {
  std::vector<std::string> all = wsrw_settings();
  std::erase(all, "wsrw");
  return all;
}

std::string to_text(const compiled_cows& m) {
  std::vector<cli::table::column> columns{"program"};
  for (const std::string& setting : lesser_settings()) columns.push_back('>' + setting + ", 95%");
  cli::table table(columns);
  const auto add = [&](const std::string& name, const auto& of) {
    std::vector<std::string> row{name};
    for (const std::string& setting : lesser_settings())
      row.push_back(ratio_text(saved(of, setting)));
    table.add_row(row);
  };
  for (const program_result& r : m.found) add(r.program, r);
  if (!m.found.empty()) add("geometric mean", m.found);
  return fmt::format(
      "COWS, Figure 19: costs found by the compiler, {}\n"
      "wsrw's time over that without one optimisation, or without all four\n\n{}{}{}",
      threads_text(m.asked.setting), table.to_text(), peers_text(m), load_text(m.others_share));
}

// Schema "doall-bench-cows-compiled/1"; cows.md has it.
ordered_json to_json(const compiled_cows& m) {
  ordered_json json = to_json(static_cast<const outcome&>(m), "cows-compiled");
  json["rounds"] = m.asked.rounds;
  json["size"] = m.size_name;
  json["programs"] = ordered_json::array();
  for (const program_result& r : m.found) {
    ordered_json settings = ordered_json::array();
    for (const std::string& setting : wsrw_settings()) {
      const series& s = times_of(r, setting);
      settings.push_back({{"setting", setting},
                          {"median_ns", rounded(median_of(s.rounds_ns))},
                          {"wsrw_over", to_json(saved(r, setting))},
                          {"rounds_ns", rounded(s.rounds_ns)}});
    }
    json["programs"].push_back({{"program", r.program}, {"settings", settings}});
  }
  json["means"] = ordered_json::array();
  for (const std::string& setting : lesser_settings()) {
    if (m.found.empty()) break;
    json["means"].push_back(
        {{"setting", setting}, {"wsrw_over", to_json(saved(m.found, setting))}});
  }
  return json;
}

void measure(compiled_cows& m) {
  roster lanes(m.asked.setting);
  lanes.add(on_doall({.runtime = "libgomp",
                      .door = "gomp",
                      .program = "lane-cows-compiled",
                      .arguments = {m.size_name},
                      .needs = "doall's plugin",
                      .compiler = "GCC"}));
  m.who = lanes.take();
  const load_watch load(m.who.present);
  base::rng random(1);
  std::vector<graph_input> graphs = every_graph(size_of(m.size_name), {});
  std::vector<std::string> names;
  for (const program& p : cows_programs([](auto&) {}, graphs)) names.push_back(p.name);
  for (const std::string& name : chosen_of(names, m.programs))
    m.found.push_back(
        measure(name, entrants_of(name, m.who.present), std::max(m.asked.rounds, 1U), random));
  show_progress("");
  m.others_share = load.others_share();
}

void run_cows_compiled(const cli::arguments& args) {
  compiled_cows m{{{.setting = default_contest({"doall"}), .rounds = 15}}};
  cli::option_parser options(
      "bench cows-compiled", "[OPTIONS]",
      "COWS's kernels in plain OpenMP C, compiled by 'doall cc', which finds what their\n"
      "iterations cost: wsrw with and without each of the paper's four optimisations, on a\n"
      "Kronecker graph in three orders of its vertices.",
      "Needs doall's plugin. Exit status 1 also when an answer is wrong.");
  options.add_option("--size", m.size_name, "paper: a graph of 2^16 vertices; small: of 2^9")
      .one_of({"paper", "small"})
      .shown_as("paper|small");
  add_programs_option(options, m.programs);
  add_rounds_option(options, m.asked);
  add_contest_options(options, m.asked.setting);
  add_json_option(options, m.asked);
  if (!options.read(args)) return;
  result_file json(m.asked.json_file);
  measure(m);
  fmt::print("{}", to_text(m));
  json.write(to_json(m));
}

const experiment here{"cows-compiled", run_cows_compiled};

}  // namespace
}  // namespace doall::bench
