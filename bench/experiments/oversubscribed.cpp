// doall bench oversubscribed: loops with four times as many threads as there are CPUs.
#include <fmt/format.h>
#include <algorithm>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/table.hpp"
#include "driver/experiments.hpp"
#include "driver/load_watch.hpp"
#include "driver/machine.hpp"
#include "driver/neighbour_requests.hpp"
#include "driver/row_text.hpp"
#include "driver/run_options.hpp"
#include "driver/shuffle.hpp"

namespace doall::bench {
namespace {

// The measurement: everybody in turn, with few threads and with many, round by round.

// The crowd has so many times the threads.
inline constexpr unsigned crowding = 4;

// One entrant's loops of one length. Nanoseconds a loop, the mean of each round's: what a
// program pays, late threads included.
struct series {
  entrant of;  // with few threads
  unsigned threads_of_crowd = 0;
  loop what;
  std::vector<double> few_ns = {};
  std::vector<double> crowd_ns = {};
};

struct measurement {
  std::vector<series> all;
  double others_share = 0;  // of all CPUs' time that other programs used
};

// The first `few` of those present have few threads, the others are the same runtimes with
// many; who is there but once is not measured. Throws lane_error on a wrong answer.
measurement measure(const std::vector<contender>& present, std::size_t few, unsigned rounds,
                    const std::function<void(unsigned)>& progress);

// What came out, for people and for programs.

struct report {
  run_options asked;
  std::vector<std::string> left_out;
  measurement measured;
};

std::string to_text(const report& r);

// Schema "doall-bench-oversubscribed/1"; this file's page has it.
nlohmann::ordered_json to_json(const report& r);

constexpr std::uint64_t time_ns = 40'000'000;

// A series with few threads, or with many.
struct turn {
  lane_process* lane;
  std::size_t schedule;
  const loop* what;
  std::vector<double>* to_ns;
};

const entrant* twin(const entrant& e, const std::vector<entrant>& others) {
  const auto found = std::ranges::find_if(others, [&](const entrant& o) {
    return o.runtime == e.runtime && o.door == e.door && o.schedule == e.schedule;
  });
  return found == others.end() ? nullptr : &*found;
}

measurement measure(const std::vector<contender>& present, std::size_t few, unsigned rounds,
                    const std::function<void(unsigned)>& progress) {
  const std::vector<loop> loops = calibrate(*present.front().lane, {1e5, 1e6, 1e7});
  const std::vector<entrant> uncrowded = entrants_of(std::span(present).first(few));
  const std::vector<entrant> crowded = entrants_of(std::span(present).subspan(few));
  measurement m;
  std::vector<const entrant*> twins;
  for (const loop& l : loops) {
    for (const entrant& e : uncrowded) {
      const entrant* other = twin(e, crowded);
      if (other == nullptr) continue;
      m.all.push_back({.of = e, .threads_of_crowd = other->threads, .what = l});
      twins.push_back(other);
    }
  }
  std::vector<turn> turns;
  for (std::size_t i = 0; i < m.all.size(); ++i) {
    series& s = m.all[i];
    turns.push_back({s.of.lane, s.of.index, &s.what, &s.few_ns});
    turns.push_back({twins[i]->lane, twins[i]->index, &s.what, &s.crowd_ns});
  }

  const load_watch load(present);
  base::rng random(1);
  for (unsigned round = 0; round < rounds; ++round) {
    progress(round);
    shuffle(turns, random);
    for (const turn& t : turns) {
      t.to_ns->push_back(run_loops(*t.lane, t.schedule, *t.what, 0, time_ns).mean_ns);
    }
  }
  m.others_share = load.others_share();
  return m;
}

using nlohmann::ordered_json;

// How many times as long a loop may take with a crowd of threads. OpenMP's crowd must all
// run, and taking turns is not free: nothing is asked of its shortest loops.
std::optional<double> most_for(const series& s) {
  if (s.of.runtime != "doall") return std::nullopt;
  if (s.of.door == "native") return 1.15;
  if (s.what.serial_ns >= 1e6) return 1.25;
  return std::nullopt;
}

ordered_json row_json(const series& s) {
  const ratio grown = ratio_of(s.crowd_ns, s.few_ns);
  const std::optional<double> most = most_for(s);
  ordered_json json = to_json(s.of);
  json["threads_of_crowd"] = s.threads_of_crowd;
  json["serial_ns"] = s.what.serial_ns;
  json["few_ns"] = rounded(median_of(s.few_ns));
  json["crowd_ns"] = rounded(median_of(s.crowd_ns));
  json["ratio"] = to_json(grown);
  json["bar"] = nullptr;
  json["held"] = nullptr;
  if (most) {
    json["bar"] = *most;
    json["held"] = grown.median <= *most;
  }
  json["few_rounds_ns"] = rounded(s.few_ns);
  json["crowd_rounds_ns"] = rounded(s.crowd_ns);
  return json;
}

std::string to_text(const report& r) {
  using cli::align;
  cli::table table({{"loop"},
                    {"runtime"},
                    {"door"},
                    {"schedule"},
                    {"P", align::right},
                    {"mean", align::right},
                    {"crowd's P", align::right},
                    {"mean", align::right},
                    {"p5..p95", align::right},
                    {"ratio, 95%", align::right},
                    {"bar"}});
  for (const series& s : r.measured.all) {
    const summary crowd = summarise(s.crowd_ns);
    const ratio grown = ratio_of(s.crowd_ns, s.few_ns);
    table.add_row(
        {cli::duration_text(s.what.serial_ns), s.of.runtime, s.of.door, s.of.schedule,
         std::to_string(s.of.threads), cli::duration_text(median_of(s.few_ns)),
         std::to_string(s.threads_of_crowd), cli::duration_text(crowd.median),
         fmt::format("{}..{}", cli::duration_text(crowd.p5), cli::duration_text(crowd.p95)),
         ratio_text(grown), bar_text(grown.median, most_for(s))});
  }
  std::string text =
      fmt::format("Loops with {} threads and with {}{}, {} rounds, on {}\n",
                  r.asked.setting.threads, crowding * r.asked.setting.threads,
                  r.asked.setting.pinned ? ", pinned" : "", r.asked.rounds, machine_name());
  text += load_text(r.measured.others_share);
  for (const std::string& who : r.left_out) text += "Left out: " + who + '\n';
  return text + '\n' + table.to_text();
}

ordered_json to_json(const report& r) {
  ordered_json rows = ordered_json::array();
  for (const series& s : r.measured.all) rows.push_back(row_json(s));
  return {{"schema", "doall-bench-oversubscribed/1"},
          {"machine", machine_name()},
          {"threads", r.asked.setting.threads},
          {"threads_of_crowd", crowding * r.asked.setting.threads},
          {"rounds", r.asked.rounds},
          {"pinned", r.asked.setting.pinned},
          {"others_cpu_share", r.measured.others_share},
          {"rows", rows},
          {"left_out", r.left_out}};
}

constexpr const char* name = "bench oversubscribed";

// False after --help.
bool read_options(const cli::arguments& args, run_options& o) {
  cli::option_parser options(
      name, "[OPTIONS]",
      "Loops of 100 us, 1 ms and 10 ms with a thread for each CPU and with four, every runtime\n"
      "in turn in one run: how much longer a loop takes with the crowd.",
      "Exit status 1 also when a loop's result is wrong.");
  add_run_options(options, o);
  add_contest_options(options, o.setting);
  return options.read(args);
}

void run(const cli::arguments& args) {
  run_options asked{.setting = default_contest(runtime_names()), .rounds = 15};
  if (!read_options(args, asked)) return;
  json_file json(asked.json_file);

  contest crowd = asked.setting;
  crowd.threads *= crowding;
  contenders all = start_contenders(asked.setting, peer_waiting::by_default);
  contenders others = start_contenders(crowd, peer_waiting::by_default);
  const std::size_t few = all.present.size();
  std::ranges::move(others.present, std::back_inserter(all.present));
  // What was not built is missing twice.
  for (const std::string& who : others.left_out) {
    if (std::ranges::count(all.left_out, who) == 0) all.left_out.push_back(who);
  }
  measurement m =
      measure(all.present, few, asked.rounds, [&](unsigned round) { show_round(round, asked); });
  show_progress("");

  const report made{asked, std::move(all.left_out), std::move(m)};
  fmt::print("{}", to_text(made));
  json.write(to_json(made));
}

}  // namespace

int run_oversubscribed(int argc, char** argv) {
  return run_benchmark(name, argc, argv, [](const cli::arguments& args) { run(args); });
}

}  // namespace doall::bench
