#include "cows/prices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "cli/table.hpp"
#include "kernels/cows-common/loops.hpp"

namespace doall::bench {
namespace {

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

}  // namespace

contenders start_price_lane(const contest& c, std::vector<std::string> arguments) {
  if (arguments.size() == 1) arguments.emplace_back("");  // no folder
  for (const std::string& setting : wsrw_settings()) arguments.push_back(setting);
  roster all(c);
  all.add({.runtime = "doall",
           .door = "native",
           .program = "cows-lane-doall",
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

}  // namespace doall::bench
