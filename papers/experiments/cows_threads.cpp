// doall bench cows on threads: everybody in turn, round by round; what costs and reservations take;
// speed-ups.
//
// Length: what is asked of the lanes, judged and drawn, which nobody else uses.
#include <fmt/format.h>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "cli/table.hpp"
#include "driver/chart.hpp"
#include "driver/comparison.hpp"
#include "driver/paced_measurement.hpp"
#include "driver/program_measurement.hpp"
#include "driver/verdict.hpp"
#include "experiments/cows.hpp"
#include "kernels/cows_loops.hpp"

namespace doall::bench {
namespace {

// What `doall bench cows` finds out on threads besides everybody's times, of wsrw and the two that
// it is made from, through the native door:
//   - what COWS's optimisations save: wsrw with and without each, interleaved (Figure 19)
//   - thefts tried and done, and the imbalance of executed cost
//   - the price of computing costs, as a part of a program's run
//   - the price of a reservation
// By a lane of their own, so that nobody who is timed is asked for more (lanes/cows_prices.hpp).

// Medians of some runs, none of which is timed.
struct watched_schedule {
  std::string program;
  std::string schedule;
  double imbalance = 1;  // sums over loops that are not uniform: busiest workers over means
  bool steals = false;   // whether its workers do; then:
  double tried = 0;
  double done = 0;
  double costed_tried = 0;  // of them, in costed loops
  double costed_done = 0;
};

// Of a program that has costed loops.
struct cost_price {
  std::string program;
  double degree = 0;        // average, of the graph's vertices
  double costed_loops = 0;  // a run
  double first_ns = 0;      // that a loop takes longer whose sums are made
  double reused_ns = 0;     // that a loop takes longer to begin than by wsri, where sums are there
  double run_ns = 0;        // by wsrw

  // Parts of a run: if sums are made once, and if they are there.
  double share() const { return (first_ns + reused_ns * costed_loops) / run_ns; }
  double reused_share() const { return reused_ns * costed_loops / run_ns; }
  // Where the bars hold.
  bool is_judged() const { return degree >= 10; }
};

struct reservation_price {
  std::string schedule;
  double least_ns = 0;
  double median_ns = 0;
};

struct cows_prices {
  std::vector<program_result> optimisations;  // wsrw and its settings
  std::vector<watched_schedule> watched;
  std::vector<cost_price> costs;
  std::vector<reservation_price> reservations;
};

struct priced_program {
  std::string name;
  unsigned rounds;
};

// The lane. `arguments`: SIZE and perhaps FOLDER, as of the native lane that is timed.
contenders start_price_lane(const contest& c, std::vector<std::string> arguments);

// By start_price_lane()'s. Throws lane_error when an answer is wrong or the lane is gone.
cows_prices measure_prices(const std::vector<contender>& lane,
                           const std::vector<priced_program>& programs, base::rng& random,
                           const progress& show);

// Bars: what costs take of a run, and a reservation.
std::vector<verdict> verdicts_of(const cows_prices& all);

// All tables, without verdicts.
std::string to_text(const cows_prices& all);
// With verdicts.
nlohmann::ordered_json to_json(const cows_prices& all);

// The picture of the part on threads: speed-ups over dynamic, kernel by kernel and graph by graph.

// A kernel on a graph, in one of its orders.
struct placed_program {
  std::string name;
  std::string kernel;
  std::string graph;
};

// A panel for each kernel, a group for each graph: the geometric mean over its orders. Our
// schedules through the native door, and of each peer the best that it has. dynamic itself is the
// line at 1.
bar_chart speed_ups_of(const stealing_benchmark& b, const std::vector<stealing_result>& all,
                       const std::vector<placed_program>& places);

using nlohmann::ordered_json;
using numbers = std::vector<double>;

constexpr double most_of_a_run = 0.02;
constexpr double most_of_a_run_reused = 0.001;
constexpr double reservation_most_ns = 10;

// What a lane answers in numbers, so many or more.
numbers ask(const contender& who, const std::string& request, std::size_t least) {
  const std::string answer = who.lane->ask(request);
  std::istringstream fields(answer);
  numbers found;
  for (double one = 0; fields >> one;) found.push_back(one);
  if (!fields.eof() || found.size() < least) {
    throw lane_error(fmt::format("{}, asked for \"{}\": {}", who.lane->name(), request,
                                 answer.empty() ? "no answer" : answer));
  }
  return found;
}

// Several times; all numbers together.
numbers ask_often(const contender& who, const std::string& request, unsigned times) {
  numbers all;
  for (; times > 0; --times) {
    const numbers some = ask(who, request, 1);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

// More add little to what is not timed, and take as long.
unsigned asks_of(const priced_program& p) { return std::clamp(p.rounds, 1U, 3U); }

bool steals(const std::string& schedule) { return schedule.starts_with("wsr"); }

watched_schedule watch(const contender& who, const priced_program& p, const std::string& schedule) {
  constexpr std::size_t columns = 5;
  std::vector<numbers> by_column(columns);
  for (unsigned i = 0; i < asks_of(p); ++i) {
    const numbers found = ask(who, fmt::format("watch {} {}", p.name, schedule), columns);
    for (std::size_t k = 0; k < columns; ++k) by_column[k].push_back(found[k]);
  }
  return {.program = p.name,
          .schedule = schedule,
          .imbalance = median_of(by_column[0]),
          .steals = steals(schedule),
          .tried = median_of(by_column[1]),
          .done = median_of(by_column[2]),
          .costed_tried = median_of(by_column[3]),
          .costed_done = median_of(by_column[4])};
}

const series& times_of(const program_result& r, const std::string& setting) {
  return *std::ranges::find(r.all, setting, [](const series& s) { return s.of.schedule; });
}

std::optional<cost_price> price(const contender& who, const priced_program& p,
                                const program_result& times) {
  const numbers of = ask(who, "costs " + p.name, 3);
  const double vertices = of[0];
  const double directed_edges = of[1];
  const double costed_loops = of[2];
  if (costed_loops == 0) return {};
  return cost_price{.program = p.name,
                    .degree = directed_edges / vertices,
                    .costed_loops = costed_loops,
                    .first_ns = median_of(ask_often(who, "first " + p.name, asks_of(p))),
                    .reused_ns = median_of(ask_often(who, "reused " + p.name, asks_of(p))),
                    .run_ns = median_of(times_of(times, "wsrw").rounds_ns)};
}

std::vector<reservation_price> price_reservations(const contender& who, unsigned times) {
  std::vector<reservation_price> all;
  for (const char* const schedule : {"wsr,1", "wsri,1", "wsrw,1", "wsr", "wsri", "wsrw"}) {
    const numbers found = ask_often(who, fmt::format("reserve {}", schedule), times);
    all.push_back({schedule, std::ranges::min(found), median_of(found)});
  }
  return all;
}

// Of what is judged case by case: the worst, and who misses the bar.
class worst_case {
 public:
  worst_case(std::string of, std::string limit, double most)
      : made_{.of = std::move(of), .limit = std::move(limit)}, most_(most) {}

  void add(const std::string& where, double found) {
    if (made_.where.empty() || found > made_.found.median) {
      made_.found = {.median = found};
      made_.where = where;
    }
    if (found >= most_) made_.missed.push_back(where);
    made_.held = made_.missed.empty();
  }

  void move_to(std::vector<verdict>& all) {
    if (!made_.where.empty()) all.push_back(std::move(made_));
  }

 private:
  verdict made_;
  double most_;
};

// The settings without something.
std::vector<std::string> lesser_settings() {
  std::vector<std::string> all = wsrw_settings();
  std::erase(all, "wsrw");
  return all;
}

ratio wsrw_over(const program_result& r, const std::string& setting) {
  return ratio_of(times_of(r, "wsrw").rounds_ns, times_of(r, setting).rounds_ns);
}

// At the geometric mean of all programs.
ratio wsrw_over(const std::vector<program_result>& all, const std::string& setting) {
  std::vector<series_pair> pairs;
  for (const program_result& r : all) {
    pairs.emplace_back(&times_of(r, "wsrw"), &times_of(r, setting));
  }
  return mean_ratio_of(pairs);
}

std::string optimisations_text(const std::vector<program_result>& all) {
  if (all.empty()) return "";
  std::vector<cli::table::column> columns{{"program"}};
  for (const std::string& setting : lesser_settings()) {
    columns.push_back({setting + ", 95%", cli::align::right});
  }
  cli::table table(columns);
  const auto add = [&](const std::string& name, const auto& of) {
    std::vector<std::string> row{name};
    for (const std::string& setting : lesser_settings()) {
      row.push_back(ratio_text(wsrw_over(of, setting)));
    }
    table.add_row(row);
  };
  for (const program_result& r : all) add(r.program, r);
  add("geometric mean", all);
  return "\nOptimisations on and off: wsrw's time over that without one, or without all four\n\n" +
         table.to_text();
}

std::string watched_text(const std::vector<watched_schedule>& all) {
  if (all.empty()) return "";
  std::vector<cli::table::column> columns{{"program"}};
  for (const std::string& s : cows_schedules()) {
    if (steals(s)) columns.push_back({s + " stole", cli::align::right});
  }
  for (const std::string& s : cows_schedules()) columns.push_back({s, cli::align::right});
  cli::table table(columns);
  std::map<std::string, std::map<std::string, watched_schedule>> found;
  for (const watched_schedule& w : all) found[w.program][w.schedule] = w;
  for (const auto& [program, by_schedule] : found) {
    std::vector<std::string> row{program};
    for (const std::string& s : cows_schedules()) {
      const watched_schedule& w = by_schedule.at(s);
      if (w.steals) row.push_back(fmt::format("{:.0f}/{:.0f}", w.done, w.tried));
    }
    for (const std::string& s : cows_schedules()) {
      row.push_back(fmt::format("{:.3f}", by_schedule.at(s).imbalance));
    }
    table.add_row(row);
  }
  return "\nOf a run: thefts done/tried; then the imbalance of executed cost\n\n" + table.to_text();
}

std::string share_text(double part) { return fmt::format("{:.3f}%", 100 * part); }

std::string costs_text(const std::vector<cost_price>& all) {
  if (all.empty()) return "";
  cli::table table({{"program"},
                    {"degree", cli::align::right},
                    {"costed loops", cli::align::right},
                    {"made", cli::align::right},
                    {"reused", cli::align::right},
                    {"run", cli::align::right},
                    {"of it", cli::align::right},
                    {"all reused", cli::align::right}});
  for (const cost_price& p : all) {
    table.add_row({p.program, fmt::format("{:.1f}", p.degree),
                   fmt::format("{:.0f}", p.costed_loops), cli::duration_text(p.first_ns),
                   cli::duration_text(p.reused_ns), cli::duration_text(p.run_ns),
                   share_text(p.share()), share_text(p.reused_share())});
  }
  return "\nThe price of costs: of a loop's sums, made and reused; of a run by wsrw\n\n" +
         table.to_text();
}

std::string reservations_text(const std::vector<reservation_price>& all) {
  if (all.empty()) return "";
  cli::table table(
      {{"schedule"}, {"least ns", cli::align::right}, {"median ns", cli::align::right}});
  for (const reservation_price& p : all) {
    table.add_row(
        {p.schedule, fmt::format("{:.1f}", p.least_ns), fmt::format("{:.1f}", p.median_ns)});
  }
  return "\nThe price of a reservation that nobody contends for\n\n" + table.to_text();
}

ordered_json to_json(const program_result& r) {
  ordered_json settings = ordered_json::array();
  for (const std::string& setting : wsrw_settings()) {
    const series& s = times_of(r, setting);
    settings.push_back({{"setting", setting},
                        {"median_ns", rounded(median_of(s.rounds_ns))},
                        {"wsrw_over", to_json(wsrw_over(r, setting))},
                        {"rounds_ns", rounded(s.rounds_ns)}});
  }
  return {{"program", r.program}, {"settings", settings}};
}

ordered_json to_json(const watched_schedule& w) {
  ordered_json made{{"program", w.program}, {"schedule", w.schedule}, {"imbalance", w.imbalance}};
  if (w.steals) {
    made["steals_tried"] = w.tried;
    made["steals"] = w.done;
    made["steals_tried_in_costed_loops"] = w.costed_tried;
    made["steals_in_costed_loops"] = w.costed_done;
  }
  return made;
}

ordered_json to_json(const cost_price& p) {
  return {{"program", p.program},
          {"average_degree", p.degree},
          {"costed_loops", p.costed_loops},
          {"first_ns", rounded(p.first_ns)},
          {"reused_ns", rounded(p.reused_ns)},
          {"run_ns", rounded(p.run_ns)},
          {"share", p.share()},
          {"share_reused", p.reused_share()}};
}

ordered_json to_json(const reservation_price& p) {
  return {{"schedule", p.schedule}, {"least_ns", p.least_ns}, {"median_ns", p.median_ns}};
}

template <class Rows>
ordered_json list_of(const Rows& rows) {
  ordered_json list = ordered_json::array();
  for (const auto& row : rows) list.push_back(to_json(row));
  return list;
}

contenders start_price_lane(const contest& c, std::vector<std::string> arguments) {
  if (arguments.size() == 1) arguments.emplace_back("");  // no folder
  for (const std::string& setting : wsrw_settings()) arguments.push_back(setting);
  roster all(c);
  all.add({.runtime = "doall",
           .door = "native",
           .program = "lane-cows-doall",
           .arguments = std::move(arguments)});
  return all.take();
}

cows_prices measure_prices(const std::vector<contender>& lane,
                           const std::vector<priced_program>& programs, base::rng& random,
                           const progress& show) {
  cows_prices all;
  const contender& who = lane.front();
  for (const priced_program& p : programs) {
    all.optimisations.push_back(measure(p.name, lane, std::max(p.rounds, 1U), {}, random, show));
    show(p.name + ": thefts and balance");
    for (const std::string& schedule : cows_schedules()) {
      all.watched.push_back(watch(who, p, schedule));
    }
    show(p.name + ": the price of costs");
    if (auto found = price(who, p, all.optimisations.back())) all.costs.push_back(*found);
  }
  if (!programs.empty()) {
    show("the price of a reservation");
    all.reservations = price_reservations(who, asks_of(programs.front()));
  }
  show("");
  return all;
}

std::vector<verdict> verdicts_of(const cows_prices& all) {
  worst_case made("costs, made once: part of a run", fmt::format("< {}", most_of_a_run),
                  most_of_a_run);
  worst_case reused("costs, reused: part of a run", fmt::format("< {}", most_of_a_run_reused),
                    most_of_a_run_reused);
  for (const cost_price& p : all.costs) {
    if (!p.is_judged()) continue;
    made.add(p.program, p.share());
    reused.add(p.program, p.reused_share());
  }
  std::vector<verdict> found;
  made.move_to(found);
  reused.move_to(found);
  worst_case reservation("a reservation, ns", fmt::format("< {}", reservation_most_ns),
                         reservation_most_ns);
  for (const reservation_price& p : all.reservations) {
    reservation.add(p.schedule, p.median_ns);
  }
  reservation.move_to(found);
  return found;
}

std::string to_text(const cows_prices& all) {
  return optimisations_text(all.optimisations) + watched_text(all.watched) + costs_text(all.costs) +
         reservations_text(all.reservations);
}

ordered_json to_json(const cows_prices& all) {
  ordered_json means = ordered_json::array();
  for (const std::string& setting : lesser_settings()) {
    if (all.optimisations.empty()) break;
    means.push_back(
        {{"setting", setting}, {"wsrw_over", to_json(wsrw_over(all.optimisations, setting))}});
  }
  return {{"optimisations", list_of(all.optimisations)},
          {"optimisations_mean", means},
          {"watched", list_of(all.watched)},
          {"costs", list_of(all.costs)},
          {"reservations", list_of(all.reservations)},
          {"verdicts", to_json(verdicts_of(all))}};
}

struct placed_result {
  const placed_program* place;
  const stealing_result* result;
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

// A bar's name, and whose time it is.
class bar_source {
 public:
  static bar_source of_schedule(const std::string& schedule) {
    return {schedule, "doall native " + schedule, false};
  }
  static bar_source of_peer(const std::string& runtime) {
    return {best_of_peer(runtime), runtime, true};
  }

  const std::string& name() const { return name_; }
  const series* in(const program_result& r) const {
    return is_peer_ ? fastest_of_peer(r, of_) : r.fastest(of_);
  }

 private:
  bar_source(std::string name, std::string of, bool is_peer)
      : name_(std::move(name)), of_(std::move(of)), is_peer_(is_peer) {}

  std::string name_;
  std::string of_;
  bool is_peer_;
};

std::vector<bar_source> bar_sources(const stealing_benchmark& b) {
  std::vector<bar_source> all;
  for (const std::string& schedule : cows_schedules()) {
    if (schedule != b.reference->name) all.push_back(bar_source::of_schedule(schedule));
  }
  for (const std::string& runtime : program_runtimes()) {
    if (runtime != "doall") all.push_back(bar_source::of_peer(runtime));
  }
  return all;
}

// Nothing: somebody does not take part everywhere.
std::optional<ratio> speed_up(const stealing_benchmark& b, const bar_source& source,
                              const std::vector<placed_result>& orders) {
  std::vector<series_pair> programs;
  for (const placed_result& p : orders) {
    const series* reference = b.reference_in(*p.result);
    const series* found = source.in(*p.result);
    if (reference == nullptr || found == nullptr) return {};
    programs.emplace_back(reference, found);
  }
  return mean_ratio_of(programs);
}

bar_panel panel_of(const stealing_benchmark& b, const std::string& kernel,
                   const std::vector<placed_result>& all) {
  bar_panel made{.title = kernel, .groups = different(all, &placed_program::graph), .bars = {}};
  for (const bar_source& source : bar_sources(b)) {
    ratio_bars bars{.name = source.name(), .by_group = {}};
    for (const std::string& graph : made.groups) {
      bars.by_group.push_back(speed_up(b, source, those_with(all, &placed_program::graph, graph)));
    }
    const bool is_shown = std::ranges::any_of(
        bars.by_group, [](const std::optional<ratio>& one) { return one.has_value(); });
    if (is_shown) made.bars.push_back(std::move(bars));
  }
  return made;
}

bar_chart speed_ups_of(const stealing_benchmark& b, const std::vector<stealing_result>& all,
                       const std::vector<placed_program>& places) {
  std::vector<placed_result> placed;
  for (const stealing_result& r : all) {
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
  add_program_lanes(all, setting, "lane-cows", arguments);
  if (setting.wants("doall")) {
    all.add({.runtime = "doall",
             .door = "native",
             .setting = "Clang",
             .program = "lane-cows-doall-clang",
             .arguments = arguments,
             .needs = "clang-19",
             .compiler = "Clang"});
    all.add(with_doall_libgomp({.runtime = "doall",
                                .door = "gomp",
                                .setting = "costs named",
                                .program = "lane-cows-openmp-gcc-costs",
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
