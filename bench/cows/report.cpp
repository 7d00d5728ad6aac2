#include "cows/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cli/table.hpp"

namespace doall::bench {
namespace {

using cli::align;

std::string programs_text(const cows_report& r, std::uint32_t workers) {
  cli::table table({{fmt::format("P = {}", workers)},
                    {"cyclic", align::right},
                    {"dynamic", align::right},
                    {"static", align::right},
                    {"guided", align::right},
                    {"wsr", align::right},
                    {"wsri", align::right},
                    {"steals wsr (tried)", align::right},
                    {"wsri", align::right},
                    {"wsrw", align::right},
                    {"imbalance", align::right},
                    {"over bound", align::right}});
  for (const cows_outcome& one : r.programs) {
    const auto& by = one.figures.at(workers);
    std::vector<std::string> cells{one.program};
    for (const char* other : {"cyclic", "dynamic", "static", "guided", "wsr", "wsri"}) {
      cells.push_back(fmt::format("{:.3f}", one.ratio(workers, other, "wsrw")));
    }
    cells.push_back(fmt::format("{:.0f} ({:.0f})", by.at("wsr").steals, by.at("wsr").tried));
    cells.push_back(fmt::format("{:.0f}", by.at("wsri").steals));
    cells.push_back(fmt::format("{:.0f}", by.at("wsrw").steals));
    cells.push_back(fmt::format("{:.3f}", by.at("wsrw").executed.imbalance()));
    cells.push_back(fmt::format("{:.3f}", by.at("wsrw").executed.over_bound()));
    table.add_row(cells);
  }
  return table.to_text();
}

struct mean_group {
  const char* name;
  graph_group group;
};
constexpr mean_group groups[] = {{"all graphs", graph_group::all},
                                 {"power-law graphs", graph_group::power_law},
                                 {"road networks", graph_group::roads}};

std::string means_text(const cows_report& r) {
  std::vector<cli::table::column> columns{{"geometric mean of cyclic's makespan over"}};
  for (const std::string& schedule : cows_schedules()) columns.push_back({schedule, align::right});
  cli::table table(columns);
  for (const auto& [name, group] : groups) {
    const auto programs = of_group(r.programs, group);
    if (programs.empty()) continue;
    std::vector<std::string> cells{name};
    for (const std::string& schedule : cows_schedules()) {
      cells.push_back(fmt::format("{:.3f}", mean_ratio(programs, "cyclic", schedule)));
    }
    table.add_row(cells);
  }
  // COWS, section VI-A's summary: on threads, on three other graphs.
  table.add_row({"the paper, power-law graphs", "-", "-", "1", "-", "-", "1.05", "1.10"});
  return table.to_text();
}

std::string demands_text(const cows_report& r) {
  cli::table table({{"asked"}, {"limit"}, {"worst", align::right}, {"on"}, {"verdict"}});
  for (const cows_demand& d : demands_of(r.programs)) {
    const std::string verdict =
        d.held() ? "held" : fmt::format("missed in {} of {}", d.missed.size(), d.cases);
    table.add_row({d.asked, d.limit, fmt::format("{:.3f}", d.found),
                   d.where.empty() ? "-" : d.where, verdict});
  }
  return table.to_text();
}

nlohmann::ordered_json to_json(const cows_outcome& one) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& [workers, by_schedule] : one.figures) {
    for (const std::string& schedule : cows_schedules()) {
      const machine_figures& f = by_schedule.at(schedule);
      rows.push_back({{"workers", workers},
                      {"schedule", schedule},
                      {"makespan", f.makespan},
                      {"over_wsrw", one.ratio(workers, schedule, "wsrw")},
                      {"steals", f.steals},
                      {"steals_tried", f.tried},
                      {"steals_in_costed_loops", f.costed_steals},
                      {"imbalance", f.executed.imbalance()},
                      {"over_bound", f.executed.over_bound()}});
    }
  }
  return {{"program", one.program},
          {"graph", one.graph.name},
          {"order", to_text(one.graph.order)},
          {"vertices", one.vertices},
          {"directed_edges", one.directed_edges},
          {"loops", one.loops},
          {"loops_kept", one.kept},
          {"costed", one.is_costed},
          {"rows", rows}};
}

}  // namespace

std::string header_text(const cows_report& r) {
  const machine_prices& p = r.asked.prices;
  std::string text = fmt::format(
      "COWS's kernels in virtual time: {} virtual workers, seeds 1 to {} (dynamic: 1 to {}). In "
      "looks at a neighbour: {} a vertex, {} a reservation, {} a chunk of the queue of all, {} a "
      "theft and {} for each list looked at; workers come within {}.\n",
      fmt::join(r.asked.workers, ", "), r.asked.seeds, seeds_of("dynamic", r.asked.seeds),
      loop_recorder::vertex_cost, p.own, p.central, p.stolen, p.look, p.late);
  for (const std::string& why : r.left_out) text += fmt::format("left out: {}\n", why);
  return text + "\n";
}

std::string to_text(const cows_report& r) {
  cli::table facts({{"program"},
                    {"vertices", align::right},
                    {"edges, both ways", align::right},
                    {"loops", align::right},
                    {"different", align::right}});
  for (const cows_outcome& one : r.programs) {
    facts.add_row({one.program, std::to_string(one.vertices), std::to_string(one.directed_edges),
                   std::to_string(one.loops), std::to_string(one.kept)});
  }
  std::string text = facts.to_text() +
                     "\nMakespans over wsrw's, above 1 wsrw is ahead; steals done a run of the "
                     "program; wsrw's imbalance, and its busiest worker over max(mean, largest "
                     "reservation), at the worst seed, if all come at once.\n";
  for (const std::uint32_t workers : r.asked.workers) text += "\n" + programs_text(r, workers);
  return text + "\n" + means_text(r) + "\n" + demands_text(r);
}

nlohmann::ordered_json to_json(const cows_report& r) {
  const machine_prices& p = r.asked.prices;
  nlohmann::ordered_json json{{"schema", "doall-bench-cows-virtual/1"},
                              {"workers", r.asked.workers},
                              {"seeds", r.asked.seeds},
                              {"seeds_of_dynamic", seeds_of("dynamic", r.asked.seeds)},
                              {"prices",
                               {{"vertex", loop_recorder::vertex_cost},
                                {"own", p.own},
                                {"central", p.central},
                                {"stolen", p.stolen},
                                {"look", p.look},
                                {"late", p.late}}}};
  json["programs"] = nlohmann::ordered_json::array();
  for (const cows_outcome& one : r.programs) json["programs"].push_back(to_json(one));
  json["means"] = nlohmann::ordered_json::array();
  for (const auto& [name, group] : groups) {
    const auto programs = of_group(r.programs, group);
    if (programs.empty()) continue;
    nlohmann::ordered_json over;
    for (const std::string& schedule : cows_schedules()) {
      over[schedule] = mean_ratio(programs, "cyclic", schedule);
    }
    json["means"].push_back({{"of", name}, {"cyclic_over", over}});
  }
  json["demands"] = nlohmann::ordered_json::array();
  for (const cows_demand& d : demands_of(r.programs)) {
    json["demands"].push_back({{"asked", d.asked},
                               {"limit", d.limit},
                               {"worst", d.found},
                               {"on", d.where},
                               {"cases", d.cases},
                               {"held", d.held()},
                               {"missed", d.missed}});
  }
  json["left_out"] = r.left_out;
  return json;
}

}  // namespace doall::bench
