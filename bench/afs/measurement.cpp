#include "afs/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "common/shuffle.hpp"

namespace doall::bench {
namespace {

std::string ask(const std::string& verb, const std::string& program, const entrant& e) {
  return e.who->lane->ask(fmt::format("{} {} {}", verb, program, e.schedule));
}

[[noreturn]] void refuse(const std::string& program, const entrant& e, const std::string& answer) {
  throw lane_error(fmt::format("{} under {}, {}: {}", program, e.schedule, e.who->lane->name(),
                               answer.empty() ? "no answer" : answer));
}

// Nanoseconds a run.
std::vector<double> time(const std::string& program, const entrant& e) {
  const std::string answer = ask("time", program, e);
  std::istringstream fields(answer);
  std::vector<double> runs_ns;
  for (double ns = 0; fields >> ns;) runs_ns.push_back(ns);
  if (!fields.eof() || runs_ns.empty()) refuse(program, e, answer);
  return runs_ns;
}

// The best of those that `is_one` says belong together; null when there is none.
template <class Predicate>
const series* best_of(const std::vector<series>& all, Predicate is_one) {
  const series* best = nullptr;
  for (const series& s : all) {
    if (!is_one(s.of)) continue;
    if (best == nullptr || median_of(s.rounds_ns) < median_of(best->rounds_ns)) best = &s;
  }
  return best;
}

// Sets stayed_part.
void check(const std::string& program, std::vector<series>& all) {
  for (series& s : all) {
    const std::string answer = ask("check", program, s.of);
    std::istringstream fields(answer);
    std::string verdict;
    if (!(fields >> verdict >> s.stayed_part) || verdict != "ok") refuse(program, s.of, answer);
  }
}

// Rounds of each once.
void run_rounds(const std::string& program, std::vector<series*> turns, unsigned rounds,
                base::rng& random, const progress& show) {
  for (unsigned round = 0; round < rounds; ++round) {
    show(fmt::format("{}: round {} of {}, {} in each", program, round + 1, rounds, turns.size()));
    shuffle(turns, random);
    for (series* s : turns) {
      const std::vector<double> runs_ns = time(program, s->of);
      s->runs_ns.insert(s->runs_ns.end(), runs_ns.begin(), runs_ns.end());
      s->rounds_ns.push_back(median_of(runs_ns));
    }
  }
}

series without_times(const series& s) { return {.of = s.of, .stayed_part = s.stayed_part}; }

// Sets who is the best of whom, without times.
void choose(program_result& r) {
  const std::vector<series>& all = r.chosen_from.all;
  const auto is_ours = [](const entrant& e) { return e.is_ours() && !e.is_told_costs(); };
  if (const series* best = best_of(all, is_ours)) r.ours = without_times(*best);
  const auto is_told = [](const entrant& e) { return e.is_ours() && e.is_told_costs(); };
  if (const series* best = best_of(all, is_told)) r.told = {without_times(*best), {}};
  for (const std::string& runtime : afs_runtimes()) {
    const auto is_peer = [&](const entrant& e) {
      return !e.is_ours() && e.who->runtime == runtime;
    };
    if (const series* best = best_of(all, is_peer)) r.peers.push_back({without_times(*best), {}});
  }
}

}  // namespace

std::optional<bool> no_slower(const duel& d) {
  if (!d.ratio) return std::nullopt;
  return d.ratio->low <= ratio_limit;
}

std::optional<bool> no_slower(const program_result& r) {
  if (r.peers.empty()) return std::nullopt;
  bool all = true;
  for (const duel& d : r.peers) {
    const auto one = no_slower(d);
    if (!one) return std::nullopt;
    all = all && *one;
  }
  return all;
}

field measure_all(const std::string& program, const std::vector<entrant>& entrants, unsigned rounds,
                  base::rng& random, const progress& show) {
  field f;
  for (const entrant& e : entrants) f.all.push_back({.of = e});
  show(program + ": checking the answers");
  check(program, f.all);

  series serial{.of = {entrants.front().who, "serial"}};
  std::vector<series*> turns{&serial};
  for (series& s : f.all) turns.push_back(&s);
  run_rounds(program, turns, rounds, random, show);
  f.serial_ns = serial.median_ns();
  return f;
}

program_result measure(const program& p, const std::vector<contender>& present,
                       round_numbers rounds, base::rng& random, const progress& show) {
  program_result r{.program = p.name, .imbalance = p.imbalance, .affinity = p.affinity};
  r.chosen_from = measure_all(p.name, entrants_of(p.name, present), rounds.choosing, random, show);
  choose(r);

  std::vector<duel*> duels;
  for (duel& d : r.peers) duels.push_back(&d);
  if (r.told) duels.push_back(&*r.told);
  std::vector<series*> turns;
  if (r.ours) turns.push_back(&*r.ours);
  for (duel* d : duels) turns.push_back(&d->other);
  run_rounds(p.name, turns, rounds.last(), random, show);
  if (!r.ours) return r;
  for (duel* d : duels) d->ratio = paired_ratio(r.ours->rounds_ns, d->other.rounds_ns);
  return r;
}

}  // namespace doall::bench
