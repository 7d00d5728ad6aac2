// doall bench cows on threads: everybody in turn, round by round; speed-ups; then what costs and
// reservations take.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "driver/bar_chart.hpp"
#include "driver/comparison.hpp"
#include "driver/verdict.hpp"
#include "experiments/cows.hpp"
#include "kernels/cows_kernel.hpp"

namespace doall::bench {
namespace {

// --- The picture: speed-ups over dynamic, kernel by kernel and graph by graph.

// A kernel on a graph, in one of its orders.
struct placed_program {
  std::string name;
  std::string kernel;
  std::string graph;
};

struct placed_result {
  const placed_program* place;
  const program_result* result;
};

std::vector<std::string> different(const std::vector<placed_result>& all,
                                   std::string placed_program::* member) {
  std::vector<std::string> found;
  for (const placed_result& p : all) {
    if (std::ranges::count(found, p.place->*member) == 0) found.push_back(p.place->*member);
  }
  return found;
}

std::vector<placed_result> those_with(const std::vector<placed_result>& all,
                                      std::string placed_program::* member,
                                      const std::string& value) {
  std::vector<placed_result> found;
  std::ranges::copy_if(all, std::back_inserter(found),
                       [&](const placed_result& p) { return p.place->*member == value; });
  return found;
}

// A bar's name, and whose time it is: our schedules through the native door, and of each peer the
// best that it has. dynamic itself is the line at 1.
struct bar_source {
  std::string name;
  const series* (*in)(const program_result& r, const std::string& name);
};

std::vector<bar_source> bar_sources(const comparison& b) {
  std::vector<bar_source> all;
  for (const std::string& schedule : cows_schedules()) {
    if (schedule == b.reference->name) continue;
    all.push_back({schedule, [](const program_result& r, const std::string& name) {
                     return r.fastest("doall native " + name);
                   }});
  }
  for (const std::string& runtime : all_runtimes()) {
    if (runtime == "doall") continue;
    all.push_back({best_of_peer(runtime), [](const program_result& r, const std::string& name) {
                     return fastest_that(r.all,
                                         [&](const entrant& e) { return peer_of(e) == name; });
                   }});
  }
  return all;
}

// Nothing: somebody does not take part everywhere.
std::optional<ratio> speed_up(const comparison& b, const bar_source& source,
                              const std::vector<placed_result>& orders) {
  std::vector<series_pair> programs;
  for (const placed_result& p : orders) {
    const series* reference = b.reference_in(*p.result);
    const series* found = source.in(*p.result, source.name);
    if (reference == nullptr || found == nullptr) return {};
    programs.emplace_back(reference, found);
  }
  return mean_ratio_of(programs);
}

bar_panel panel_of(const comparison& b, const std::string& kernel,
                   const std::vector<placed_result>& all) {
  bar_panel made{.title = kernel, .groups = different(all, &placed_program::graph), .bars = {}};
  for (const bar_source& source : bar_sources(b)) {
    ratio_bars bars{.name = source.name, .by_group = {}};
    for (const std::string& graph : made.groups) {
      bars.by_group.push_back(speed_up(b, source, those_with(all, &placed_program::graph, graph)));
    }
    const bool is_shown = std::ranges::any_of(
        bars.by_group, [](const std::optional<ratio>& one) { return one.has_value(); });
    if (is_shown) made.bars.push_back(std::move(bars));
  }
  return made;
}

// A panel for each kernel, a group for each graph: the geometric mean over its orders.
bar_chart speed_ups_of(const comparison& b, const std::vector<program_result>& all,
                       const std::vector<placed_program>& places) {
  std::vector<placed_result> placed;
  for (const program_result& r : all) {
    const auto place = std::ranges::find(places, r.program, &placed_program::name);
    placed.push_back({&*place, &r});
  }
  bar_chart made{.title = b.title + ": speed-up over " + b.reference->name +
                          ", the geometric mean of each graph's orders of vertices, 95%",
                 .y_label = "speed-up over " + b.reference->name,
                 .one = b.reference->name,
                 .panels = {}};
  for (const std::string& kernel : different(placed, &placed_program::kernel)) {
    made.panels.push_back(panel_of(b, kernel, those_with(placed, &placed_program::kernel, kernel)));
  }
  return made;
}

// --- What is asked.

// The best that is shown, ours or a peer's, must not be ahead by more: so nobody must.
constexpr bar most_over_anybody{.most = 1.02};

std::optional<bar> most(const std::string&, const entrant&) { return most_over_anybody; }

std::string input(const std::string& program, const std::string&) {
  return runs_on_road_network(program) ? "a road network" : "a power-law graph";
}

// The first bar once more, program by program; then at the geometric mean of all. Of dynamic, which
// takes seven times as long, nothing is asked.
std::vector<verdict> judge(const comparison& b, const std::vector<program_result>& all,
                           const std::vector<program_result>&, const std::string&) {
  std::vector<verdict> made;
  add_to(made, best_verdict(b, all, most_over_anybody));
  struct family_limit {
    const char* family;
    double most;
    const char* text;
  };
  for (const auto& [family, most, text] :
       {family_limit{"libgomp gomp static", 1 / 1.10, "<= 1/1.10"},
        family_limit{"libgomp gomp guided", 1, "<= 1"}}) {
    auto v = mean_verdict(b, all, family);
    if (!v) continue;
    v->limit = text;
    if (v->held) v->held = v->found.median <= most;
    made.push_back(*std::move(v));
  }
  return made;
}

const comparison& benchmark() {
  static const comparison b{
      .name = "cows",
      .purpose = "",
      .title = "Irregular loops",
      .schedule = "wsrw",
      .reference = speed_up_reference{"dynamic", {"doall native dynamic", "libgomp gomp dynamic"}},
      .runs_by_default = nullptr,
      .input = input,
      .most = most,
      .with = {.times = 40, .rounds = 1},
      .judge = judge};
  return b;
}

// Where a program is: its name is KERNEL-GRAPH.
placed_program place(const std::string& program, const graph_input& g) {
  const std::string on = "-" + g.text();
  return {program, program.substr(0, program.size() - on.size()), g.name};
}

std::vector<placed_program> programs_of(const cows_choice& asked,
                                        std::vector<std::string>& left_out) {
  std::vector<placed_program> found;
  for (const graph_input& g : graphs_of(asked, left_out)) {
    for (const program& p : cows_programs([](auto&) {}, {g})) {
      if (!is_asked_for(p.name, asked.programs)) continue;
      if (asked.programs.empty() && crosses_road_network(p.name)) continue;
      found.push_back(place(p.name, g));
    }
  }
  if (found.empty()) {
    throw cli::failure(cli::bad_usage, "--programs, --graphs: none is there whose name begins so");
  }
  return found;
}

// What the lanes are started with.
std::vector<std::string> arguments_of(const cows_choice& asked) {
  std::vector<std::string> arguments{asked.size_name};
  std::error_code error;
  const auto folder = std::filesystem::canonical(asked.folder, error);
  if (!error) arguments.push_back(folder.string());
  return arguments;
}

contenders start_lanes(const cows_choice& asked) {
  const contest& setting = asked.threads.setting;
  const std::vector<std::string> arguments = arguments_of(asked);
  roster all(setting);
  all.add(lane_set{.name = "lane-cows", .arguments = arguments});
  if (setting.wants("doall")) {
    all.add(lane_plan{.runtime = "doall",
                      .door = "native",
                      .setting = "Clang",
                      .program = "lane-cows-doall-clang",
                      .arguments = arguments,
                      .needs = "clang-19",
                      .compiler = "Clang"});
    lane_plan costs = on_doall(libgomp_plan("lane-cows", arguments));
    costs.setting = "costs named";
    costs.program += "-costs";
    all.add(costs);
  }
  contenders found = all.take();
  std::ranges::stable_partition(found.present,
                                [](const contender& c) { return c.runtime == "doall"; });
  return found;
}

// Who takes part in no round of some programs, and why.
void add_left_out(const std::vector<std::string>& programs, const contenders& all,
                  std::vector<std::string>& left_out) {
  left_out.insert(left_out.end(), all.left_out.begin(), all.left_out.end());
  const bool libomp_is_there =
      std::ranges::find(all.present, "libomp", &contender::runtime) != all.present.end();
  if (libomp_is_there && std::ranges::any_of(programs, runs_on_road_network)) {
    left_out.push_back("libomp's dynamic and static,1 on road networks: a run takes minutes");
  }
  if (std::ranges::any_of(programs, crosses_road_network)) {
    left_out.push_back(
        "everybody's dynamic, cyclic and static,1 through OpenMP, and prices, of programs that "
        "cross "
        "road networks: a run takes minutes");
  }
}

}  // namespace

void run_on_threads(const cows_choice& asked) {
  const run_options& options = asked.threads;
  result_file json(options.json_file);
  result_file svg(options.svg_file);
  std::vector<std::string> left_out;
  const std::vector<placed_program> places = programs_of(asked, left_out);
  std::vector<std::string> programs;
  for (const placed_program& p : places) programs.push_back(p.name);
  compared made{
      {options, start_lanes(asked)}, benchmark(), {.size = asked.size_name, .programs = programs}};
  add_left_out(programs, made.who, left_out);
  made.who.left_out = std::move(left_out);
  measure_paced(made, asked.minutes, programs, {});
  nlohmann::ordered_json document = to_json(made);
  if (options.setting.wants("doall")) {
    std::vector<priced_program> priced;
    for (const program_result& r : made.programs) {
      if (crosses_road_network(r.program)) continue;
      priced.push_back({r.program, static_cast<unsigned>(r.serial.rounds_ns.size())});
    }
    document["prices"] = price_cows(options.setting, arguments_of(asked), priced);
  }
  json.write(document);
  svg.write(to_svg(speed_ups_of(made.of, made.programs, places)));
}

}  // namespace doall::bench
