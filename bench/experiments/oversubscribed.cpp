// doall bench oversubscribed: loops with four times as many threads as there are CPUs.
#include <fmt/format.h>

#include <algorithm>

#include "driver/experiment.hpp"
#include "driver/report.hpp"
#include "driver/statistics.hpp"
#include "experiments/neighbours.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

using nlohmann::ordered_json;

// The crowd has so many times the threads.
constexpr unsigned crowding = 4;
constexpr std::uint64_t time_ns = 40'000'000;

// One entrant's loops of one length. Nanoseconds a loop, the mean of each round's: what a
// program pays, late threads included.
struct crowding_series {
  entrant few;
  entrant crowd;
  loop what;
  std::vector<double> few_ns = {};
  std::vector<double> crowd_ns = {};

  ratio grown() const { return ratio_of(crowd_ns, few_ns); }

  // How many times as long a loop may take with a crowd of threads. OpenMP's crowd must all
  // run, and taking turns is not free: nothing is asked of its shortest loops.
  std::optional<double> most() const {
    if (!few.is_ours()) return std::nullopt;
    if (few.who->door == "native") return 1.15;
    return what.serial_ns >= 1e6 ? std::optional(1.25) : std::nullopt;
  }
};

struct crowded : outcome {
  std::size_t few = 0;  // the first of those present; the others are the same with many threads
  std::vector<crowding_series> all = {};
};

crowded start(const run_options& asked) {
  contest crowd = asked.setting;
  crowd.threads *= crowding;
  crowded m{{asked, start_uforall(asked.setting, peer_waiting::by_default)}};
  m.few = m.who.present.size();
  contenders others = start_uforall(crowd, peer_waiting::by_default);
  // What was not built is missing twice.
  std::erase_if(others.left_out, [&](const std::string& who) {
    return std::ranges::count(m.who.left_out, who) != 0;
  });
  move_to(m.who, std::move(others));
  return m;
}

// Who is there but once is not measured.
void measure(crowded& m) {
  const std::span present(m.who.present);
  const std::vector<entrant> crowd = entrants_beside_serial(present.subspan(m.few));
  for (const loop& l : calibrate(*present.front().lane, {1e5, 1e6, 1e7})) {
    for (const entrant& e : entrants_beside_serial(present.first(m.few))) {
      const auto twin = std::ranges::find(crowd, name_of(e), name_of);
      if (twin != crowd.end()) m.all.push_back({e, *twin, l});
    }
  }
  struct turn {
    const entrant* who;
    const loop* what;
    std::vector<double>* to_ns;
  };
  std::vector<turn> turns;
  for (crowding_series& s : m.all) {
    turns.push_back({&s.few, &s.what, &s.few_ns});
    turns.push_back({&s.crowd, &s.what, &s.crowd_ns});
  }
  measure_rounds(m, [&](base::rng& random) {
    shuffle(turns, random);
    for (const turn& t : turns) {
      t.to_ns->push_back(run_loops(*t.who, *t.what, 0, time_ns).mean_ns);
    }
  });
}

std::string to_text(const crowded& m) {
  cli::table table({"loop", "runtime", "door", "schedule", ">P", ">mean", ">crowd's P", ">mean",
                    ">p5..p95", ">ratio, 95%", "bar"});
  for (const crowding_series& s : m.all) {
    const summary crowd = summarise(s.crowd_ns);
    const ratio grown = s.grown();
    table.add_row({cli::duration_text(s.what.serial_ns), s.few.who->runtime, s.few.who->door,
                   s.few.schedule, std::to_string(s.few.who->lane->threads()),
                   cli::duration_text(median_of(s.few_ns)),
                   std::to_string(s.crowd.who->lane->threads()), cli::duration_text(crowd.median),
                   spread_text(crowd), ratio_text(grown), bar_text(grown.median, s.most())});
  }
  const contest& c = m.asked.setting;
  return fmt::format("Loops with {} threads and with {}{}, {} rounds, on {}\n", c.threads,
                     crowding * c.threads, c.pinned ? ", pinned" : "", m.asked.rounds,
                     machine_name()) +
         load_text(m.others_share) + peers_text(m) + '\n' + table.to_text();
}

// --- Schema "doall-bench-oversubscribed/1"; this file's page has it.

ordered_json to_json(const crowding_series& s) {
  const ratio grown = s.grown();
  const std::optional<double> most = s.most();
  ordered_json json = to_json(s.few);
  json["threads_of_crowd"] = s.crowd.who->lane->threads();
  json["serial_ns"] = s.what.serial_ns;
  json["few_ns"] = rounded(median_of(s.few_ns));
  json["crowd_ns"] = rounded(median_of(s.crowd_ns));
  json["ratio"] = to_json(grown);
  json["bar"] = or_null(most);
  json["held"] = most ? ordered_json(grown.median <= *most) : ordered_json(nullptr);
  json["few_rounds_ns"] = rounded(s.few_ns);
  json["crowd_rounds_ns"] = rounded(s.crowd_ns);
  return json;
}

ordered_json to_json(const crowded& m) {
  ordered_json json = to_json(static_cast<const outcome&>(m), "oversubscribed");
  json["threads_of_crowd"] = crowding * m.asked.setting.threads;
  json["rounds"] = m.asked.rounds;
  json["rows"] = list_json(m.all);
  return json;
}

void run_oversubscribed(const cli::arguments& args) {
  run_options asked{.setting = default_contest(), .rounds = 15};
  cli::option_parser options(
      "bench oversubscribed", "[OPTIONS]",
      "Loops of 100 us, 1 ms and 10 ms with a thread for each CPU and with four, every runtime\n"
      "in turn in one run: how much longer a loop takes with the crowd.",
      "Exit status 1 also when a loop's result is wrong.");
  add_rounds_option(options, asked);
  add_json_option(options, asked);
  add_contest_options(options, asked.setting);
  if (!options.read(args)) return;
  result_file json(asked.json_file);
  crowded m = start(asked);
  measure(m);
  fmt::print("{}", to_text(m));
  json.write(to_json(m));
}

const experiment here{"oversubscribed", run_oversubscribed};

}  // namespace
}  // namespace doall::bench
