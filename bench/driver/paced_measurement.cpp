#include "driver/paced_measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "driver/load_watch.hpp"

namespace doall::bench {

void add_paced_options(cli::option_parser& options, run_options& o, double& minutes) {
  o.rounds = 0;
  add_run_options(
      options, o,
      fmt::format("what --minutes has room for,\nat most {} a program", pace::rounds_max));
  options
      .add_option("--minutes", minutes,
                  "About how long all rounds may take, unless --rounds says how many; by\n"
                  "default 5. Programs that are judged have 6 or more in any case, others 3")
      ->check(CLI::Range(0.1, 10'000.0).description(""))
      ->type_name("M");
}

void paced_measurement::measure_all(const std::vector<std::string>& programs,
                                    const std::vector<contender>& present,
                                    std::vector<stealing_result>& results) {
  if (programs.empty()) return;
  const load_watch load(present);
  for (const std::string& program : programs) {
    results.push_back(measure_one(program, present));
    fmt::print("{}", to_text(made_, results.back()));
    std::fflush(stdout);
  }
  made_.others_share = std::max(made_.others_share, load.others_share());
}

stealing_result paced_measurement::measure_one(const std::string& program,
                                               const std::vector<contender>& present) {
  const unsigned asked = made_.asked.rounds;
  const unsigned rounds = asked > 0 ? asked : paced(program, present);
  stealing_result r(measure(program, present, rounds, {}, random_, show_progress, made_.of.with));
  if (made_.of.tells_affinity) ask_affinity(r);
  show_progress("");
  return r;
}

unsigned paced_measurement::paced(const std::string& program,
                                  const std::vector<contender>& present) {
  constexpr unsigned judged_min = 6;  // for an interval
  constexpr unsigned shown_min = 3;
  const lane_process& first = *present.front().lane;
  show_progress(program + ": one run");
  std::istringstream answer(present.front().lane->ask(fmt::format("runs {} serial 1 1", program)));
  double serial_ns = 0;
  if (!(answer >> serial_ns)) throw lane_error(first.name() + ": " + answer.str());
  const std::vector<entrant> entrants = entrants_of(program, present);
  const bool judged =
      made_.of.judge != nullptr || std::ranges::any_of(entrants, [&](const entrant& e) {
        return made_.of.most(program, e).has_value();
      });
  return pace_.rounds(serial_ns, present.size(), entrants.size(), judged ? judged_min : shown_min);
}

// By two more runs of each, which are not timed.
void paced_measurement::ask_affinity(stealing_result& r) const {
  for (const series& s : r.all) {
    if (!s.of.is_ours() || s.of.who->door == one_worker_door) continue;
    std::istringstream answer(
        s.of.who->lane->ask(fmt::format("check {} {}", r.program, s.of.schedule)));
    std::string verdict;
    double part = 0;
    if (!(answer >> verdict >> part) || verdict != "ok") {
      throw lane_error(fmt::format("{} under {}, {}: {}", r.program, s.of.schedule,
                                   s.of.who->lane->name(), answer.str()));
    }
    r.stayed[name_of(s.of)] = part;
  }
}

}  // namespace doall::bench
