#include "cows/threads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cows/prices.hpp"
#include "cows/speed_ups.hpp"
#include "stealing/paced_measurement.hpp"
#include "stealing/verdict.hpp"

namespace doall::bench {
namespace {

// The best that is shown, ours or a peer's, must not be ahead by more: so nobody must.
constexpr bar most_over_anybody{.most = 1.02};

std::optional<bar> most(const std::string&, const entrant&) { return most_over_anybody; }

std::string input(const std::string& program, const std::string&) {
  return runs_on_road_network(program) ? "a road network" : "a power-law graph";
}

// The first bar once more, program by program; then at the geometric mean of all.
std::vector<verdict> judge(const stealing_benchmark& b, const std::vector<stealing_result>& all,
                           const std::vector<stealing_result>&, const std::string&) {
  std::vector<verdict> made;
  if (auto v = best_verdict(b, all, most_over_anybody)) made.push_back(*std::move(v));
  struct family_limit {
    const char* family;
    double most;
    const char* text;
  };
  for (const auto& [family, most, text] :
       {family_limit{"libgomp gomp dynamic", 1 / 1.10, "<= 1/1.10"},
        family_limit{"libgomp gomp static", 1 / 1.10, "<= 1/1.10"},
        family_limit{"libgomp gomp guided", 1, "<= 1"}}) {
    auto v = mean_verdict(b, all, family);
    if (!v) continue;
    v->limit = text;
    if (v->held) v->held = v->found.median <= most;
    made.push_back(*std::move(v));
  }
  return made;
}

const stealing_benchmark& benchmark() {
  static const stealing_benchmark b{
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
  add_program_lanes(all, setting, "cows", arguments);
  if (setting.wants("doall")) {
    all.add({.runtime = "doall",
             .door = "native",
             .setting = "Clang",
             .program = "cows-lane-doall-clang",
             .arguments = arguments,
             .needs = "clang-19",
             .compiler = "Clang"});
    all.add(with_doall_libgomp({.runtime = "doall",
                                .door = "gomp",
                                .setting = "costs named",
                                .program = "cows-lane-openmp-gcc-costs",
                                .arguments = arguments,
                                .needs = "GCC"}));
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

cows_prices find_prices(const std::vector<contender>& lane,
                        const std::vector<stealing_result>& programs) {
  std::vector<priced_program> priced;
  for (const stealing_result& r : programs) {
    if (crosses_road_network(r.program)) continue;
    priced.push_back({r.program, static_cast<unsigned>(r.rounds())});
  }
  base::rng random(1);
  cows_prices found = measure_prices(lane, priced, random, show_progress);
  show_progress("");
  return found;
}

}  // namespace

void run_on_threads(const cows_choice& asked) {
  const run_options& options = asked.threads;
  json_file json(options.json_file);
  result_file svg(asked.svg_file);
  std::vector<std::string> left_out;
  const std::vector<placed_program> places = programs_of(asked, left_out);
  std::vector<std::string> programs;
  for (const placed_program& p : places) programs.push_back(p.name);
  const contenders all = start_lanes(asked);
  add_left_out(programs, all, left_out);
  stealing_report made{
      benchmark(), options, {.size = asked.size_name, .programs = programs}, std::move(left_out)};
  fmt::print("{}", header_text(made));
  paced_measurement rounds(made, asked.minutes, programs.size());
  rounds.measure_all(programs, all.present, made.programs);
  fmt::print("{}", footer_text(made));
  nlohmann::ordered_json document = to_json(made);
  if (options.setting.wants("doall")) {
    const contenders lane = start_price_lane(options.setting, arguments_of(asked));
    const cows_prices prices = find_prices(lane.present, made.programs);
    fmt::print("\n{}\nWhat is asked:\n{}", to_text(prices), to_text(verdicts_of(prices)));
    document["prices"] = to_json(prices);
  }
  json.write(document);
  svg.write(to_svg(speed_ups_of(made.of, made.programs, places)));
}

}  // namespace doall::bench
