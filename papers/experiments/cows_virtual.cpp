// doall bench cows --virtual: what came out of recorded loops, and what is asked of it.
//
// Length: what is found, demanded and reported of it, which nobody else uses.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "driver/experiment.hpp"
#include "experiments/cows.hpp"
#include "experiments/cows_machine.hpp"
#include "kernels/cows_bfs.hpp"
#include "kernels/cows_components.hpp"
#include "kernels/cows_k_committee.hpp"
#include "kernels/cows_leader_election.hpp"
#include "kernels/cows_pagerank.hpp"
#include "kernels/ordered_graph.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

// What came of the programs in virtual time, and what was asked of it.

struct cows_outcome {
  std::string program;
  graph_input graph;
  std::size_t vertices = 0;
  std::size_t directed_edges = 0;
  std::size_t loops = 0;   // that the program runs
  std::size_t kept = 0;    // different ones that were run in virtual time
  bool is_costed = false;  // has loops whose costs are known before
  std::map<std::uint32_t, std::map<std::string, machine_figures>> figures =
      {};  // by workers, then schedule

  // The makespan of one schedule over that of another.
  double ratio(std::uint32_t workers, const std::string& of, const std::string& to) const {
    const auto& all = figures.at(workers);
    return all.at(of).makespan / all.at(to).makespan;
  }
};

// At the geometric mean of programs and numbers of workers.
double mean_ratio(const std::vector<const cows_outcome*>& programs, const std::string& of,
                  const std::string& to);

// Which graphs a mean is over.
enum class graph_group { all, power_law, roads };
std::vector<const cows_outcome*> of_group(const std::vector<cows_outcome>& all, graph_group group);

struct cows_demand {
  std::string asked;
  std::string limit;
  double found = 0;        // where it is held worst
  std::string where = {};  // "": of all together
  std::size_t cases = 1;
  std::vector<std::string> missed = {};  // of the cases

  bool held() const { return missed.empty(); }
};

// Of wsrw: fewest steals, balance, the paper's means. Nothing is asked of no programs.
std::vector<cows_demand> demands_of(const std::vector<cows_outcome>& all);

// What came out in virtual time, for people and for programs.

struct cows_report {
  machine_request asked;
  std::vector<std::string> left_out;
  std::vector<cows_outcome> programs = {};
};

std::string header_text(const cows_report& r);  // before the programs
// A table for each number of workers; means; what was asked.
std::string to_text(const cows_report& r);

// Schema "doall-bench-cows-virtual/1"; this file's page has it.
nlohmann::ordered_json to_json(const cows_report& r);

template <class Visit>
void for_each_case(const std::vector<cows_outcome>& all, const Visit& visit) {
  for (const cows_outcome& one : all) {
    for (const auto& [workers, by_schedule] : one.figures) {
      visit(one, by_schedule, fmt::format("{} P={}", one.program, workers));
    }
  }
}

// A case of a demand with an upper limit.
void add(cows_demand& d, double found, bool held, const std::string& where) {
  ++d.cases;
  if (!held) d.missed.push_back(where);
  if (d.where.empty() || found > d.found) {
    d.found = found;
    d.where = where;
  }
}

cows_demand fewest_steals(const std::vector<cows_outcome>& all) {
  cows_demand d{.asked = "wsrw's steals over the fewer of wsr's and wsri's, costed loops",
                .limit = "<= 1",
                .cases = 0};
  for_each_case(all, [&](const cows_outcome& one, const auto& by, const std::string& where) {
    if (!one.is_costed) return;
    const double others = std::min(by.at("wsr").costed_steals, by.at("wsri").costed_steals);
    const double own = by.at("wsrw").costed_steals;
    const double ratio = others > 0 ? own / others : own > 0 ? INFINITY : 1;
    add(d, ratio, own <= others, where);
  });
  return d;
}

cows_demand balance(const std::vector<cows_outcome>& all) {
  constexpr double most = 1.05;
  cows_demand d{.asked = "wsrw's busiest worker over max(mean, largest reservation)",
                .limit = fmt::format("<= {}", most),
                .cases = 0};
  for_each_case(all, [&](const cows_outcome&, const auto& by, const std::string& where) {
    const double found = by.at("wsrw").executed.over_bound();
    add(d, found, found <= most, where);
  });
  return d;
}

double mean_ratio(const std::vector<const cows_outcome*>& programs, const std::string& of,
                  const std::string& to) {
  double sum = 0;
  std::size_t cases = 0;
  for (const cows_outcome* one : programs) {
    for (const auto& [workers, by_schedule] : one->figures) {
      sum += std::log(one->ratio(workers, of, to));
      ++cases;
    }
  }
  return cases == 0 ? 1 : std::exp(sum / static_cast<double>(cases));
}

std::vector<const cows_outcome*> of_group(const std::vector<cows_outcome>& all, graph_group group) {
  std::vector<const cows_outcome*> some;
  for (const cows_outcome& one : all) {
    const bool is_road = is_road_network(one.graph.name);
    if (group == graph_group::power_law && is_road) continue;
    if (group == graph_group::roads && !is_road) continue;
    some.push_back(&one);
  }
  return some;
}

std::vector<cows_demand> demands_of(const std::vector<cows_outcome>& all) {
  if (all.empty()) return {};
  std::vector<cows_demand> demands{fewest_steals(all), balance(all)};
  const auto add_mean = [&](graph_group group, const char* of, const char* to, double least,
                            double most) {
    const auto programs = of_group(all, group);
    if (programs.empty()) return;
    const bool is_open = most == INFINITY;
    cows_demand d{.asked = fmt::format("{}'s makespan over {}'s, geometric mean{}", of, to,
                                       group == graph_group::power_law ? ", power-law graphs" : ""),
                  .limit = is_open ? fmt::format(">= {:.2f}", least)
                                   : fmt::format("{:.2f} to {:.2f}", least, most)};
    d.found = mean_ratio(programs, of, to);
    if (d.found < least || d.found > most) d.missed.emplace_back("all");
    demands.push_back(std::move(d));
  };
  // Against the others wsrw is ahead five times and more, whatever it does: nothing is asked there.
  constexpr double printed = 1.10;
  constexpr double apart = 0.05;
  add_mean(graph_group::power_law, "cyclic", papers_wsrw, printed - apart, printed + apart);
  add_mean(graph_group::power_law, "cyclic", "wsrw", printed, INFINITY);
  add_mean(graph_group::all, "wsri", "wsrw", 1, INFINITY);
  return demands;
}

std::string programs_text(const cows_report& r, std::uint32_t workers) {
  cli::table table({fmt::format("P = {}", workers), ">cyclic", ">dynamic", ">static", ">guided",
                    ">wsr", ">wsri", ">the paper's wsrw", ">steals wsr (tried)", ">wsri", ">wsrw",
                    ">the paper's", ">imbalance", ">over bound"});
  for (const cows_outcome& one : r.programs) {
    const auto& by = one.figures.at(workers);
    std::vector<std::string> cells{one.program};
    for (const char* other :
         {"cyclic", "dynamic", "static", "guided", "wsr", "wsri", papers_wsrw}) {
      cells.push_back(fmt::format("{:.3f}", one.ratio(workers, other, "wsrw")));
    }
    cells.push_back(fmt::format("{:.0f} ({:.0f})", by.at("wsr").steals, by.at("wsr").tried));
    cells.push_back(fmt::format("{:.0f}", by.at("wsri").steals));
    cells.push_back(fmt::format("{:.0f}", by.at("wsrw").steals));
    cells.push_back(fmt::format("{:.0f}", by.at(papers_wsrw).steals));
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
  std::vector<cli::table::column> columns{"geometric mean of cyclic's makespan over"};
  for (const std::string& schedule : cows_schedules()) columns.push_back('>' + schedule);
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
  // COWS, section VI-A's summary: on threads, on three other graphs. Its wsrw begins with cyclic
  // lists.
  std::vector<std::string> printed{"the paper, power-law graphs"};
  for (const std::string& schedule : cows_schedules()) {
    printed.emplace_back(schedule == "cyclic"      ? "1"
                         : schedule == "wsri"      ? "1.05"
                         : schedule == papers_wsrw ? "1.10"
                                                   : "-");
  }
  table.add_row(printed);
  return table.to_text();
}

std::string demands_text(const cows_report& r) {
  cli::table table({"asked", "limit", ">worst", "on", "verdict"});
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
  cli::table facts({"program", ">vertices", ">edges, both ways", ">loops", ">different"});
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

// What has been computed is what the serial algorithm does.
void expect_serial_answer(const program& p, kernel& k) {
  const auto answer = k.answer();
  const std::vector<std::byte> found(answer.begin(), answer.end());
  k.reset();
  p.serial(k);
  if (std::ranges::equal(k.answer(), found)) return;
  throw cli::failure(cli::failed,
                     fmt::format("{}: the answer differs from the serial one's", p.name));
}

// The programs of one graph, one after the other.
void run_graph(const cows_choice& asked, const graph_input& g, machine& all, cows_report& made) {
  loop_recorder recorder;
  const auto door = [&](auto& kernel) { run(kernel, recorded_cows_loops(recorder)); };
  for (const program& p : cows_programs(door, {g})) {
    if (!is_asked_for(p.name, asked.programs)) continue;
    show_progress(fmt::format("recording {}", p.name));
    const auto k = p.make(asked.size());
    recorder = {};
    k->reset();
    p.parallel(*k);
    expect_serial_answer(p, *k);
    const std::vector<recorded_loop> loops = recorder.take();
    show_progress(fmt::format("running {}", p.name));
    all.run(loops);
    const auto& graph = static_cast<const cows_kernel&>(*k).graph();
    cows_outcome one{.program = p.name,
                     .graph = g,
                     .vertices = graph.vertices(),
                     .directed_edges = graph.directed_edges(),
                     .loops = recorder.executions(),
                     .kept = loops.size(),
                     .is_costed = std::ranges::any_of(loops, [](const recorded_loop& loop) {
                       return loop.kind == loop_kind::costed;
                     })};
    for (const std::uint32_t workers : asked.machine.workers) {
      for (const std::string& schedule : cows_schedules()) {
        one.figures[workers][schedule] = all.of(loops, schedule, workers);
      }
    }
    made.programs.push_back(std::move(one));
  }
}

}  // namespace

void run_virtual(const cows_choice& asked) {
  result_file json(asked.threads.json_file);
  cows_report made{.asked = asked.machine, .left_out = {}};
  const std::vector<graph_input> graphs = graphs_of(asked, made.left_out);
  if (graphs.empty()) {
    throw cli::failure(cli::bad_usage, "--graphs: none is there whose name begins so");
  }
  fmt::print("{}", header_text(made));
  for (const graph_input& g : graphs) {
    machine all(asked.machine);  // a graph's loops are no other's
    run_graph(asked, g, all, made);
  }
  if (made.programs.empty()) {
    throw cli::failure(cli::bad_usage, "--programs: no program has a name that begins so");
  }
  show_progress("");
  fmt::print("{}", to_text(made));
  json.write(to_json(made));
}

}  // namespace doall::bench
