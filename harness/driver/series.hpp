// An entrant's times, and how several entrants' are told apart.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "driver/contenders.hpp"
#include "driver/statistics.hpp"

namespace doall::bench {

// One run of what is measured.
struct run_times {
  double total_ns = 0;
  // Of programs that tell fine loops from coarse ones; otherwise zeros.
  double fine_ns = 0;
  double coarse_ns = 0;
  double fine_loops = 0;
  double short_loops = 0;  // of the fine ones, under 0.1 ms
  double least_ns = 0;     // a fine loop
  double most_ns = 0;
};

struct series {
  entrant of;
  std::vector<run_times> runs = {};         // every run of every round
  std::vector<double> rounds_ns = {};       // the median of each round's runs
  std::vector<double> fine_rounds_ns = {};  // likewise, of the time in fine loops
  double part = 0;        // of iterations or loops, that an experiment's check() tells
  bool given_up = false;  // by patience (programs.hpp)

  bool tells_fine_loops() const { return !runs.empty() && runs.front().fine_loops > 0; }

  // That member of all runs.
  std::vector<double> all(double run_times::* member = &run_times::total_ns) const {
    return all_of(runs, member);
  }
  double median_ns() const { return median_of(all()); }

  void add_round(const std::vector<run_times>& round) {
    runs.insert(runs.end(), round.begin(), round.end());
    rounds_ns.push_back(median_of(all_of(round, &run_times::total_ns)));
    fine_rounds_ns.push_back(median_of(all_of(round, &run_times::fine_ns)));
  }
  void add_round(const std::vector<double>& round_ns) {
    std::vector<run_times> round;
    for (const double ns : round_ns) round.push_back({.total_ns = ns});
    add_round(round);
  }

 private:
  static std::vector<double> all_of(const std::vector<run_times>& runs,
                                    double run_times::* member) {
    std::vector<double> values;
    for (const run_times& r : runs) values.push_back(r.*member);
    return values;
  }
};

// What name_of(entrant) gives, in the order in which it first appears; "" counts nowhere.
template <class Name>
std::vector<std::string> distinct(const std::vector<series>& all, const Name& name) {
  std::vector<std::string> found;
  for (const series& s : all) {
    const std::string one = name(s.of);
    if (!one.empty() && std::ranges::count(found, one) == 0) found.push_back(one);
  }
  return found;
}
inline std::vector<std::string> names_of(const std::vector<series>& all) {
  return distinct(all, name_of);
}

// Of those that belong together, as a peer's settings do, the one with the least median round;
// null: there is none.
template <class Predicate>
const series* fastest_that(const std::vector<series>& all, const Predicate& belongs) {
  const series* best = nullptr;
  for (const series& s : all) {
    if (!belongs(s.of)) continue;
    if (best == nullptr || median_of(s.rounds_ns) < median_of(best->rounds_ns)) best = &s;
  }
  return best;
}
inline const series* fastest_of(const std::vector<series>& all, const std::string& name) {
  return fastest_that(all, [&](const entrant& e) { return name_of(e) == name; });
}

}  // namespace doall::bench
