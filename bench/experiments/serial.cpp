// doall bench serial: whether any short loop, reduction or recursion is slower than a plain one.
#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "driver/experiment.hpp"
#include "driver/report.hpp"
#include "driver/series.hpp"
#include "driver/statistics.hpp"
#include "driver/verdict.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

using nlohmann::ordered_json;

constexpr std::array steps{0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10'000};
constexpr double bar = 1.02;
constexpr double allowed_ns = 30;

// One subject of N steps.
struct task {
  std::string name;
  int n;
  series plain;
  series ours;

  ratio over() const { return ratio_of(ours.rounds_ns, plain.rounds_ns); }
  // The same without the nanoseconds that any loop is allowed.
  ratio judged() const {
    std::vector<double> left_ns = ours.rounds_ns;
    for (double& ns : left_ns) ns = std::max(ns - allowed_ns, 0.0);
    return ratio_of(left_ns, plain.rounds_ns);
  }
};

struct measurement : outcome {
  std::vector<std::string> names = {};
  std::vector<task> tasks = {};
};

void measure(measurement& m) {
  const contender& who = m.who.present.front();
  m.names = who.lane->offers();
  for (const std::string& name : m.names) {
    for (const int n : steps) m.tasks.push_back({name, n, {{&who, "plain"}}, {{&who, "doall"}}});
  }
  measure_rounds(m, [&](base::rng& random) {
    for (task& t : m.tasks) {
      std::vector<series*> turns{&t.plain, &t.ours};
      shuffle(turns, random);
      for (series* s : turns) {
        s->add_round(who.lane->numbers(fmt::format("time {} {} {}", s->of.schedule, t.name, t.n)));
      }
    }
  });
}

std::vector<verdict> judge(const measurement& m) {
  std::vector<verdict> all;
  for (const std::string& name : m.names) {
    demand d(fmt::format("{} over a plain one, without {} ns", name, allowed_ns),
             fmt::format("<= {}", bar));
    for (const task& t : m.tasks) {
      if (t.name != name) continue;
      const ratio found = t.judged();
      d.add(fmt::format("N = {}", t.n), found,
            found.interval ? std::optional(found.median <= bar) : std::nullopt);
    }
    add_to(all, d.made());
  }
  return all;
}

std::string to_text(const measurement& m) {
  std::string text = fmt::format("Never slower than a plain loop, {}, {} rounds, on {}\n",
                                 threads_text(m.asked.setting), m.asked.rounds, machine_name());
  text += load_text(m.others_share) + peers_text(m);
  std::vector<cli::table::column> columns{"doall over plain; plain ns"};
  for (const int n : steps) columns.push_back(fmt::format(">{}", n));
  cli::table table(std::move(columns));
  for (const std::string& name : m.names) {
    std::vector<std::string> ratios{name};
    std::vector<std::string> times{""};
    for (const task& t : m.tasks) {
      if (t.name != name) continue;
      ratios.push_back(fmt::format("{:.2f}", t.over().median));
      times.push_back(fmt::format("{:.0f}", t.plain.median_ns()));
    }
    table.add_row(std::move(ratios));
    table.add_row(std::move(times));
  }
  return text + '\n' + table.to_text() + '\n';
}

// Schema "doall-bench-serial/1"; this file's page has it.
ordered_json to_json(const measurement& m, const std::vector<verdict>& verdicts) {
  ordered_json json = to_json(static_cast<const outcome&>(m), "serial");
  json["rounds"] = m.asked.rounds;
  json["rows"] = ordered_json::array();
  for (const task& t : m.tasks) {
    json["rows"].push_back({{"name", t.name},
                            {"n", t.n},
                            {"plain_ns", rounded(t.plain.median_ns())},
                            {"doall_ns", rounded(t.ours.median_ns())},
                            {"over_plain", to_json(t.over())},
                            {"judged", to_json(t.judged())}});
  }
  json["verdicts"] = list_json(verdicts);
  return json;
}

void run_serial(const cli::arguments& args) {
  run_options asked{.setting = default_contest({"doall"}), .rounds = 15};
  cli::option_parser options(
      "bench serial", "[OPTIONS]",
      "Loops, reductions, running sums and recursions of 0 to 10,000 steps, each as a plain one\n"
      "and through the native door with nothing said, in turn in one run.",
      "Exit status 1 also when a result is wrong.");
  add_rounds_option(options, asked);
  add_contest_options(options, asked.setting);
  add_json_option(options, asked);
  if (!options.read(args)) return;
  result_file json(asked.json_file);
  roster all(asked.setting);
  all.add({.runtime = "doall", .door = "native", .program = "lane-serial-doall"});
  measurement m{{asked, all.take()}};
  measure(m);
  const std::vector<verdict> verdicts = judge(m);
  fmt::print("{}{}", to_text(m), bench::to_text(verdicts));
  json.write(to_json(m, verdicts));
}

const experiment here{"serial", run_serial};

}  // namespace
}  // namespace doall::bench
