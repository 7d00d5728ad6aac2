// doall bench algorithms: sorting and running sums beside oneTBB's and libstdc++'s.
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

constexpr std::array names{"sort-int",  "sort-double", "sort-few",
                           "sort-text", "scan-int",    "scan-double"};
constexpr const char* ours = "doall native default";

// One algorithm on so many elements.
struct task {
  std::string algorithm;
  std::size_t elements;
  series serial;  // std::sort or std::partial_sum: it is in every lane; one of them runs it
  std::vector<series> all = {};

  const series* own() const { return fastest_of(all, ours); }
  // The best of another runtime, whatever its algorithm; doall's OpenMP is none.
  const series* best_peer() const {
    return fastest_that(all, [](const entrant& e) { return e.who->runtime != "doall"; });
  }
  std::optional<estimate> over(const series* peer) const {
    if (own() == nullptr || peer == nullptr) return std::nullopt;
    return paired_ratio(own()->rounds_ns, peer->rounds_ns);
  }
};

struct compared : outcome {
  std::uint64_t most = 1'000'000;
  std::vector<task> tasks = {};
};

void measure(compared& m) {
  for (const char* name : names) {
    for (std::size_t n = 1'000; n <= m.most; n *= 10) {
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
        s->add_round(s->of.who->lane->numbers(
            fmt::format("time {} {} {}", s->of.schedule, t.algorithm, t.elements)));
      }
    }
  });
}

std::string peer_text(const task& t) {
  const series* const peer = t.best_peer();
  if (peer == nullptr) return "";
  return name_of(peer->of) + ", " + cli::duration_text(peer->median_ns());
}

std::string to_text(const compared& m) {
  std::string text = fmt::format("Algorithms, {}, {} rounds, on {}\n",
                                 threads_text(m.asked.setting), m.asked.rounds, machine_name());
  text += load_text(m.others_share) + peers_text(m);
  cli::table table({"algorithm", ">elements", ">serial", ">doall", ">over serial", "best peer",
                    ">doall over it"});
  for (const task& t : m.tasks) {
    table.add_row({t.algorithm, elements_text(t.elements), cli::duration_text(t.serial.median_ns()),
                   t.own() != nullptr ? cli::duration_text(t.own()->median_ns()) : "",
                   ratio_text(t.over(&t.serial)), peer_text(t), ratio_text(t.over(t.best_peer()))});
  }
  return text + '\n' + table.to_text();
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
      "parallel_sort and parallel_scan of 1 K to 1 M elements beside std::sort and\n"
      "std::partial_sum, oneTBB's, and libstdc++'s parallel mode, in turn in one run.",
      "Exit status 1 also when a result is wrong.");
  options.add_option("--most", m.most, "the most elements (1000000)").shown_as("N");
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
