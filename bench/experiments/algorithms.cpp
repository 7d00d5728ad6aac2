// doall bench algorithms: sorting, running sums, loop forms and spaces beside oneTBB's and
// libstdc++'s.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "driver/experiment.hpp"
#include "driver/report.hpp"
#include "driver/series.hpp"
#include "driver/statistics.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

using nlohmann::ordered_json;

constexpr std::array names{"sort-int",        "sort-double", "sort-few", "sort-text",
                           "scan-int",        "scan-double", "for",      "for-range",
                           "nested-for",      "for-each",    "reduce",   "reduce-fixed",
                           "invoke",          "tasks",       "find",     "pack",
                           "stable-sort",     "transpose",   "stencil",  "product",
                           "std-for-each",    "std-reduce",  "std-scan", "std-sort",
                           "std-stable-sort", "std-find",    "std-merge"};
constexpr const char* ours = "doall native default";
constexpr std::uint64_t most_texts = 100'000;
constexpr const char* by_compat = "doall native compat";  // oneTBB's names on doall

// One algorithm on so many elements.
struct task {
  std::string algorithm;
  std::size_t elements;
  series serial;  // std::sort or std::partial_sum: it is in every lane; one of them runs it
  std::vector<series> all = {};

  const series* own() const { return fastest_of(all, ours); }
  const series* compat() const { return fastest_of(all, by_compat); }
  const series* tbb() const {
    return fastest_that(all, [](const entrant& e) { return e.who->runtime == "tbb"; });
  }
  // The best of another runtime, whatever its algorithm; doall's OpenMP is none.
  const series* best_peer() const {
    return fastest_that(all, [](const entrant& e) { return e.who->runtime != "doall"; });
  }
  std::optional<estimate> over(const series* peer) const { return between(own(), peer); }
  static std::optional<estimate> between(const series* of, const series* to) {
    if (of == nullptr || to == nullptr) return std::nullopt;
    return paired_ratio(of->rounds_ns, to->rounds_ns);
  }
};

struct compared : outcome {
  std::uint64_t most = 10'000'000;
  std::vector<std::string> only = {};
  std::vector<task> tasks = {};
};

void measure(compared& m) {
  for (const std::string name : names) {
    if (!m.only.empty() && std::ranges::count(m.only, name) == 0) continue;
    const std::uint64_t most = name == "sort-text" ? std::min(m.most, most_texts) : m.most;
    for (std::size_t n = 1'000; n <= most; n *= 100) {
      task t{name, n, {{&m.who.present.front(), "serial"}}};
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
        const std::vector<double> times_ns = s->of.who->lane->numbers(
            fmt::format("time {} {} {}", s->of.schedule, t.algorithm, t.elements));
        if (times_ns.front() > 0) s->add_round(times_ns);
      }
      std::erase_if(t.all,
                    [](const series& s) { return s.rounds_ns.empty(); });  // has no such form
    }
  });
}

std::string peer_text(const task& t) {
  const series* const peer = t.best_peer();
  if (peer == nullptr) return "";
  return name_of(peer->of) + ", " + cli::duration_text(peer->median_ns());
}

// The geometric mean of all ratios, and the worst.
template <class Ratio>
std::string summary(const compared& m, const char* what, const Ratio& ratio_of) {
  double logs = 0;
  int count = 0;
  double worst = 0;
  std::string where;
  for (const task& t : m.tasks) {
    const std::optional<estimate> ratio = ratio_of(t);
    if (!ratio) continue;
    logs += std::log(ratio->median);
    count += 1;
    if (ratio->median <= worst) continue;
    worst = ratio->median;
    where = fmt::format("{} of {}", t.algorithm, elements_text(t.elements));
  }
  if (count == 0) return "";
  return fmt::format("{}: geometric mean {:.2f} of {} ratios, the worst {:.2f} ({})\n", what,
                     std::exp(logs / count), count, worst, where);
}

std::string to_text(const compared& m) {
  std::string text = fmt::format("Algorithms, {}, {} rounds, on {}\n",
                                 threads_text(m.asked.setting), m.asked.rounds, machine_name());
  text += load_text(m.others_share) + peers_text(m);
  cli::table table({"algorithm", ">elements", ">serial", ">doall", ">over serial", "best peer",
                    ">doall over it", ">compat over oneTBB", ">doall over oneTBB"});
  for (const task& t : m.tasks) {
    table.add_row({t.algorithm, elements_text(t.elements), cli::duration_text(t.serial.median_ns()),
                   t.own() != nullptr ? cli::duration_text(t.own()->median_ns()) : "",
                   ratio_text(t.over(&t.serial)), peer_text(t), ratio_text(t.over(t.best_peer())),
                   ratio_text(task::between(t.compat(), t.tbb())), ratio_text(t.over(t.tbb()))});
  }
  return text + '\n' + table.to_text() + '\n' +
         summary(m, "doall/compat over oneTBB",
                 [](const task& t) { return task::between(t.compat(), t.tbb()); }) +
         summary(m, "doall over oneTBB", [](const task& t) { return t.over(t.tbb()); });
}

// Schema "doall-bench-algorithms/1"; this file's page has it.
ordered_json to_json(const compared& m) {
  ordered_json json = to_json(static_cast<const outcome&>(m), "algorithms");
  json["rounds"] = m.asked.rounds;
  json["rows"] = ordered_json::array();
  for (const task& t : m.tasks) {
    for (const series& s : t.all) {
      ordered_json row = to_json(s.of);
      row["algorithm"] = t.algorithm;
      row["elements"] = t.elements;
      add_times(row, s.all(), s.rounds_ns);
      row["speed_up"] = to_json(paired_ratio(t.serial.rounds_ns, s.rounds_ns));
      row["doall_to_it"] = to_json(t.over(&s));
      row["compat_to_it"] = to_json(task::between(t.compat(), &s));
      json["rows"].push_back(std::move(row));
    }
  }
  return json;
}

contenders start_lanes(const contest& c) {
  roster all(c);
  all.add(lane_set{.name = "lane-algorithms"});
  return all.take();
}

void run_algorithms(const cli::arguments& args) {
  run_options asked{.setting = default_contest(), .rounds = 15};
  compared m{{asked}};
  cli::option_parser options(
      "bench algorithms", "[OPTIONS]",
      "Sorts, scans, loops, reductions, spaces of 1 K, 100 K and 10 M elements beside the serial\n"
      "ones, oneTBB's, and libstdc++'s parallel mode, in turn in one run; oneTBB's forms also on\n"
      "doall, through doall/compat.",
      "Exit status 1 also when a result is wrong.");
  options.add_option("--most", m.most, "the most elements (10000000)").shown_as("N");
  options.add_option("--only", m.only, "these algorithms alone").shown_as("NAME...");
  add_rounds_option(options, m.asked);
  add_contest_options(options, m.asked.setting);
  add_json_option(options, m.asked);
  if (!options.read(args)) return;
  result_file json(m.asked.json_file);
  m.who = start_lanes(m.asked.setting);
  measure(m);
  fmt::print("{}", to_text(m));
  json.write(to_json(m));
}

const experiment here{"algorithms", run_algorithms};

}  // namespace
}  // namespace doall::bench
