#include "experiments/cows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "driver/comparison.hpp"
#include "driver/report.hpp"
#include "driver/verdict.hpp"
#include "kernels/cows_kernel.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

using nlohmann::ordered_json;
using numbers = std::vector<double>;

constexpr double most_of_a_run = 0.02;
constexpr double most_of_a_run_reused = 0.001;
constexpr double reservation_most_ns = 10;
constexpr const char* addition = "addition";  // a locked one, beside the schedules' reservations
constexpr double reservation_most_additions = 1.5;

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
  contenders lane;                                 // who all of these are of
  std::vector<program_result> optimisations = {};  // wsrw and its settings
  std::vector<watched_schedule> watched = {};
  std::vector<cost_price> costs = {};
  std::vector<reservation_price> reservations = {};
};

// Several times; all numbers together.
numbers ask_often(const contender& who, const std::string& request, unsigned times) {
  numbers all;
  for (; times > 0; --times) {
    const numbers some = who.lane->numbers(request);
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
    const numbers found = who.lane->numbers(fmt::format("watch {} {}", p.name, schedule), columns);
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
  const numbers of = who.lane->numbers("costs " + p.name, 3);
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
  for (const char* const schedule :
       {addition, "wsr,1", "wsri,1", "wsrw,1", "wsr", "wsri", "wsrw"}) {
    const numbers found = ask_often(who, fmt::format("reserve {}", schedule), times);
    all.push_back({schedule, std::ranges::min(found), median_of(found)});
  }
  return all;
}

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
  std::vector<cli::table::column> columns{"program"};
  for (const std::string& setting : lesser_settings()) {
    columns.push_back('>' + setting + ", 95%");
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
  std::vector<cli::table::column> columns{"program"};
  for (const std::string& s : cows_schedules()) {
    if (steals(s)) columns.push_back('>' + s + " stole");
  }
  for (const std::string& s : cows_schedules()) columns.push_back('>' + s);
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
  cli::table table(
      {"program", ">degree", ">costed loops", ">made", ">reused", ">run", ">of it", ">all reused"});
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
  cli::table table({"schedule", ">least ns", ">median ns"});
  for (const reservation_price& p : all) {
    table.add_row(
        {p.schedule, fmt::format("{:.1f}", p.least_ns), fmt::format("{:.1f}", p.median_ns)});
  }
  return "\nThe price of a reservation that nobody contends for\n\n" + table.to_text();
}

ordered_json settings_json(const program_result& r) {
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

cows_prices measure_prices(contenders lane, const std::vector<priced_program>& programs) {
  cows_prices all{.lane = std::move(lane)};
  const contender& who = all.lane.present.front();
  base::rng random(1);
  for (const priced_program& p : programs) {
    all.optimisations.push_back(
        measure(p.name, entrants_of(p.name, all.lane.present), std::max(p.rounds, 1U), random));
    show_progress(p.name + ": thefts and balance");
    for (const std::string& schedule : cows_schedules()) {
      all.watched.push_back(watch(who, p, schedule));
    }
    show_progress(p.name + ": the price of costs");
    if (auto found = price(who, p, all.optimisations.back())) all.costs.push_back(*found);
  }
  if (!programs.empty()) {
    show_progress("the price of a reservation");
    all.reservations = price_reservations(who, asks_of(programs.front()));
  }
  show_progress("");
  return all;
}

// Bars: what costs take of a run, and a reservation.
std::vector<verdict> verdicts_of(const cows_prices& all) {
  const auto below = [](const std::string& of, double most) {
    return demand(of, fmt::format("< {}", most));
  };
  demand made = below("costs, made once: part of a run", most_of_a_run);
  demand reused = below("costs, reused: part of a run", most_of_a_run_reused);
  demand reservation = below("a reservation, ns", reservation_most_ns);
  for (const cost_price& p : all.costs) {
    if (!p.is_judged()) continue;
    made.add(p.program, {p.share()}, p.share() < most_of_a_run);
    reused.add(p.program, {p.reused_share()}, p.reused_share() < most_of_a_run_reused);
  }
  demand over_addition("a reservation over a locked addition",
                       fmt::format("<= {}", reservation_most_additions));
  for (const reservation_price& p : all.reservations) {
    if (p.schedule == addition) continue;
    reservation.add(p.schedule, {p.median_ns}, p.median_ns < reservation_most_ns);
    const double over = p.median_ns / all.reservations.front().median_ns;
    over_addition.add(p.schedule, {over}, over <= reservation_most_additions);
  }
  std::vector<verdict> found;
  for (const demand& d : {made, reused, reservation, over_addition}) add_to(found, d.made());
  return found;
}

ordered_json to_json(const cows_prices& all) {
  ordered_json optimisations = ordered_json::array();
  for (const program_result& r : all.optimisations) optimisations.push_back(settings_json(r));
  ordered_json means = ordered_json::array();
  for (const std::string& setting : lesser_settings()) {
    if (all.optimisations.empty()) break;
    means.push_back(
        {{"setting", setting}, {"wsrw_over", to_json(wsrw_over(all.optimisations, setting))}});
  }
  return {{"optimisations", optimisations},
          {"optimisations_mean", means},
          {"watched", list_json(all.watched)},
          {"costs", list_json(all.costs)},
          {"reservations", list_json(all.reservations)},
          {"verdicts", list_json(verdicts_of(all))}};
}

}  // namespace

ordered_json price_cows(const contest& c, std::vector<std::string> arguments,
                        const std::vector<priced_program>& programs) {
  if (arguments.size() == 1) arguments.emplace_back("");  // no folder
  for (const std::string& setting : wsrw_settings()) arguments.push_back(setting);
  roster lane(c);
  lane.add(lane_plan{.runtime = "doall",
                     .door = "native",
                     .program = "lane-cows-doall",
                     .arguments = std::move(arguments)});
  const cows_prices all = measure_prices(lane.take(), programs);
  fmt::print("\n{}{}{}{}\nWhat is asked:\n{}", optimisations_text(all.optimisations),
             watched_text(all.watched), costs_text(all.costs), reservations_text(all.reservations),
             to_text(verdicts_of(all)));
  return to_json(all);
}

}  // namespace doall::bench
