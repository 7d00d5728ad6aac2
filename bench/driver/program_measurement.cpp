#include "driver/program_measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "driver/shuffle.hpp"

namespace doall::bench {
namespace {

[[noreturn]] void refuse(const std::string& program, const entrant& e, const std::string& answer) {
  throw lane_error(fmt::format("{} under {}, {}: {}", program, e.schedule, e.who->lane->name(),
                               answer.empty() ? "no answer" : answer));
}

void check(const std::string& program, const entrant& e) {
  const std::string answer = e.who->lane->ask(fmt::format("check {} {}", program, e.schedule));
  if (!answer.starts_with("ok ")) refuse(program, e, answer);
}

std::vector<run_times> run(const std::string& program, const entrant& e, turn_length length) {
  const std::string answer = e.who->lane->ask(
      fmt::format("runs {} {} {} {}", program, e.schedule, length.runs_min, length.runs_max));
  std::istringstream fields(answer);
  std::vector<run_times> runs;
  run_times one;
  while (fields >> one.total_ns >> one.fine_ns >> one.coarse_ns >> one.fine_loops >>
         one.short_loops >> one.least_ns >> one.most_ns) {
    runs.push_back(one);
  }
  if (!fields.eof() || runs.size() < std::max<std::size_t>(1, length.runs_min)) {
    refuse(program, e, answer);
  }
  return runs;
}

double median_of(const std::vector<run_times>& runs, double run_times::* member) {
  std::vector<double> values;
  for (const run_times& r : runs) values.push_back(r.*member);
  return bench::median_of(std::move(values));
}

// Who is too slow for the rounds to come.
void give_up(std::vector<series>& all, double times) {
  std::vector<double> medians;
  for (const series& s : all) medians.push_back(bench::median_of(s.rounds_ns));
  const double least = std::ranges::min(medians);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].given_up = medians[i] > times * least;
}

}  // namespace

const series* program_result::fastest(const std::string& name) const {
  const series* best = nullptr;
  for (const series& s : all) {
    if (name_of(s.of) != name) continue;
    if (best == nullptr || bench::median_of(s.rounds_ns) < bench::median_of(best->rounds_ns)) {
      best = &s;
    }
  }
  return best;
}

std::vector<std::string> program_result::names() const {
  std::vector<std::string> found;
  for (const series& s : all) {
    if (std::ranges::count(found, name_of(s.of)) == 0) found.push_back(name_of(s.of));
  }
  return found;
}

program_result measure(const std::string& program, const std::vector<contender>& present,
                       unsigned rounds, turn_length length, base::rng& random, const progress& show,
                       patience with) {
  program_result r{program, {{&present.front(), "serial"}}};
  for (const entrant& e : entrants_of(program, present)) r.all.push_back({e});
  show(program + ": checking the answers");
  for (const series& s : r.all) check(program, s.of);

  std::vector<series*> turns{&r.serial};
  for (series& s : r.all) turns.push_back(&s);
  for (unsigned round = 0; round < rounds; ++round) {
    if (round == with.rounds && !r.all.empty()) {
      give_up(r.all, with.times);
      std::erase_if(turns, [](const series* s) { return s->given_up; });
    }
    show(fmt::format("{}: round {} of {}, {} in each", program, round + 1, rounds, turns.size()));
    shuffle(turns, random);
    for (series* s : turns) {
      const std::vector<run_times> runs = run(program, s->of, length);
      s->runs.insert(s->runs.end(), runs.begin(), runs.end());
      s->rounds_ns.push_back(median_of(runs, &run_times::total_ns));
      s->fine_rounds_ns.push_back(median_of(runs, &run_times::fine_ns));
    }
  }
  return r;
}

std::vector<double> all_of(const series& s, double run_times::* member) {
  std::vector<double> values;
  for (const run_times& r : s.runs) values.push_back(r.*member);
  return values;
}

}  // namespace doall::bench
