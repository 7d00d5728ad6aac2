// doall bench reduce: what reductions cost, and what repeatable ones cost more.
#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "driver/experiment.hpp"
#include "driver/report.hpp"
#include "driver/series.hpp"
#include "driver/statistics.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

using nlohmann::ordered_json;

constexpr const char* repeatable = "doall native default";
// Schedules that take part in both orders.
constexpr std::array both_orders{"default", "static"};
constexpr std::array reductions{"dot", "histogram"};

// One reduction of so many elements.
struct task {
  std::string reduction;
  std::size_t elements;
  series serial;  // the loop without a runtime: it is in every lane; one of them runs it
  std::vector<series> all = {};

  // Nothing: one of both does not take part.
  std::optional<estimate> over(const std::string& of, const std::string& to) const {
    const series* one = fastest_of(all, of);
    const series* other = fastest_of(all, to);
    if (one == nullptr || other == nullptr) return std::nullopt;
    return paired_ratio(one->rounds_ns, other->rounds_ns);
  }
  // The price of repeatability: the same schedule's fixed order over any.
  std::optional<estimate> price(const std::string& schedule) const {
    const std::string fixed = "doall native " + schedule;
    return over(fixed, fixed + "/any");
  }
};

struct reduced : outcome {
  std::vector<task> tasks = {};  // from a thousand elements to ten millions

  std::vector<const task*> of(const std::string& reduction) const {
    std::vector<const task*> found;
    for (const task& t : tasks) {
      if (t.reduction == reduction) found.push_back(&t);
    }
    return found;
  }
};

void measure(reduced& m) {
  for (const char* reduction : reductions) {
    for (std::size_t n = 1'000; n <= 10'000'000; n *= 10) {
      task t{reduction, n, {{&m.who.present.front(), "serial"}}};
      for (const entrant& e : entrants_of(m.who.present)) t.all.push_back({e});
      m.tasks.push_back(std::move(t));
    }
  }
  measure_rounds(m, [&](base::rng& random) {
    for (task& t : m.tasks) {
      std::vector<series*> turns{&t.serial};
      for (series& s : t.all) turns.push_back(&s);
      shuffle(turns, random);
      for (series* s : turns) {
        s->add_round(s->of.who->lane->numbers(
            fmt::format("time {} {} {}", s->of.schedule, t.reduction, t.elements)));
      }
    }
  });
}

// A column for each length.
cli::table table_of(const std::string& title, const std::vector<const task*>& tasks) {
  std::vector<cli::table::column> columns{title};
  for (const task* t : tasks) columns.push_back('>' + elements_text(t->elements));
  return cli::table(std::move(columns));
}

// Everybody's medians.
std::string times_text(const reduced& m, const std::string& reduction) {
  const auto tasks = m.of(reduction);
  cli::table table = table_of(reduction, tasks);
  std::vector<std::string> serial{"one thread, no runtime"};
  for (const task* t : tasks) serial.push_back(cli::duration_text(t->serial.median_ns()) + ' ');
  table.add_row(std::move(serial));
  for (const std::string& name : names_of(tasks.front()->all)) {
    std::vector<std::string> cells{name};
    for (const task* t : tasks) {
      const series& s = *fastest_of(t->all, name);
      cells.push_back(cli::duration_text(s.median_ns()) + (s.of.who->setting.empty() ? " " : "*"));
    }
    table.add_row(std::move(cells));
  }
  return '\n' + table.to_text();
}

// The repeatable reduction over all others, round by round.
std::string ratios_text(const reduced& m, const std::string& reduction) {
  const auto tasks = m.of(reduction);
  cli::table table = table_of(reduction + ": " + repeatable + " over", tasks);
  for (const std::string& name : names_of(tasks.front()->all)) {
    if (name == repeatable) continue;
    std::vector<std::string> cells{name};
    for (const task* t : tasks) cells.push_back(ratio_text(t->over(repeatable, name)));
    table.add_row(std::move(cells));
  }
  return '\n' + table.to_text();
}

std::string prices_text(const reduced& m) {
  cli::table table({"fixed order over any", ">elements", ">default", ">static"});
  for (const task& t : m.tasks) {
    std::vector<std::string> cells{t.reduction, elements_text(t.elements)};
    for (const char* schedule : both_orders) cells.push_back(ratio_text(t.price(schedule)));
    table.add_row(std::move(cells));
  }
  return '\n' + table.to_text();
}

std::string to_text(const reduced& m) {
  std::string text = fmt::format("Reductions, {}, {} rounds, on {}\n*: waits actively\n",
                                 threads_text(m.asked.setting), m.asked.rounds, machine_name());
  text += load_text(m.others_share) + peers_text(m);
  const bool is_ours_there = m.asked.setting.wants("doall");
  for (const char* reduction : reductions) {
    text += times_text(m, reduction);
    if (is_ours_there) text += ratios_text(m, reduction);
  }
  return is_ours_there ? text + prices_text(m) : text;
}

// Schema "doall-bench-reduce/1"; this file's page has it.
ordered_json to_json(const reduced& m) {
  ordered_json json = to_json(static_cast<const outcome&>(m), "reduce");
  json["rounds"] = m.asked.rounds;
  json["prices"] = ordered_json::array();
  json["rows"] = ordered_json::array();
  for (const task& t : m.tasks) {
    for (const char* schedule : both_orders) {
      json["prices"].push_back({{"reduction", t.reduction},
                                {"elements", t.elements},
                                {"schedule", schedule},
                                {"serial_ns", rounded(t.serial.median_ns())},
                                {"fixed_to_any", to_json(t.price(schedule))}});
    }
    for (const series& s : t.all) {
      ordered_json row = to_json(s.of);
      row["reduction"] = t.reduction;
      row["elements"] = t.elements;
      add_times(row, s.all(), s.rounds_ns);
      row["speed_up"] = to_json(paired_ratio(t.serial.rounds_ns, s.rounds_ns));
      json["rows"].push_back(std::move(row));
    }
  }
  return json;
}

contenders start_lanes(const contest& c) {
  roster all(c);
  all.add(lane_set{.name = "lane-reduce"});
  return all.take();
}

void run_reduce(const cli::arguments& args) {
  run_options asked{.setting = default_contest(), .rounds = 30};
  cli::option_parser options(
      "bench reduce", "[OPTIONS]",
      "A dot product and a histogram of 1 K to 10 M elements, every runtime in turn in one\n"
      "run; ours in the order that gives the same bits for any number of threads, and in any.",
      "Exit status 1 also when a result is wrong.");
  add_rounds_option(options, asked);
  add_contest_options(options, asked.setting);
  add_json_option(options, asked);
  if (!options.read(args)) return;
  result_file json(asked.json_file);
  reduced m{{asked, start_lanes(asked.setting)}};
  measure(m);
  fmt::print("{}", to_text(m));
  json.write(to_json(m));
}

const experiment here{"reduce", run_reduce};

}  // namespace
}  // namespace doall::bench
