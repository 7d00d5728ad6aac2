#include "burden/measurement.hpp"

#include <fmt/format.h>

#include <sstream>

#include "burden/round_trip.hpp"
#include "common/load_watch.hpp"
#include "common/shuffle.hpp"
#include "common/statistics.hpp"

namespace doall::bench {
namespace {

constexpr unsigned batches_a_round = 20;
constexpr unsigned loops_to_check = 1000;

// Whose turn it is: a schedule of a lane, and where its times go.
struct turn {
  lane_process* lane;
  std::size_t schedule;
  std::size_t series;
};

// Throws lane_error unless in loops_to_check loops every iteration ran exactly once
// a loop. Returns in what part of as many again the last iteration ran on another
// thread than the caller's.
double check(const turn& t) {
  const std::string answer = t.lane->ask(fmt::format("check {} {}", t.schedule, loops_to_check));
  std::istringstream fields(answer);
  std::string verdict;
  double shared_part = 0;
  if (!(fields >> verdict >> shared_part) || verdict != "ok") {
    throw lane_error(fmt::format("{}, {}: {}; expected once a loop", t.lane->name(),
                                 t.lane->offers()[t.schedule], answer));
  }
  return shared_part;
}

// Nanoseconds a loop, one number a batch, after a warm-up.
std::vector<double> time(const turn& t) {
  std::istringstream answer(t.lane->ask(fmt::format("time {} {}", t.schedule, batches_a_round)));
  std::vector<double> times_ns;
  for (double ns = 0; answer >> ns;) times_ns.push_back(ns);
  if (times_ns.size() != batches_a_round) {
    throw lane_error(fmt::format("{} answered with {} times, expected {}: {}", t.lane->name(),
                                 times_ns.size(), batches_a_round, answer.str()));
  }
  return times_ns;
}

void check_all(const std::vector<turn>& turns, measurement& m) {
  for (const turn& t : turns) m.all[t.series].shared_part = check(t);
}

}  // namespace

measurement measure(const contest& c, std::vector<contender>& present, unsigned rounds,
                    const std::function<void(unsigned)>& progress) {
  measurement m;
  std::vector<turn> turns;
  for (contender& p : present) {
    for (std::size_t s = 0; s < p.lane->offers().size(); ++s) {
      turns.push_back({p.lane.get(), s, m.all.size()});
      m.all.push_back({.runtime = p.runtime,
                       .door = p.door,
                       .setting = p.setting,
                       .library = p.lane->library(),
                       .schedule = p.lane->offers()[s],
                       .threads = p.lane->threads()});
    }
  }
  check_all(turns, m);

  const load_watch load(present);
  base::rng random(1);
  for (unsigned round = 0; round < rounds; ++round) {
    progress(round);
    if (c.cpus.size() > 1) {
      const auto trips = round_trips(c.cpus[0], c.cpus[1], batches_a_round);
      m.round_trips_ns.insert(m.round_trips_ns.end(), trips.begin(), trips.end());
      m.round_trip_rounds_ns.push_back(median_of(trips));
    }
    shuffle(turns, random);
    for (const turn& t : turns) {
      const std::vector<double> times = time(t);
      series& s = m.all[t.series];
      s.batches_ns.insert(s.batches_ns.end(), times.begin(), times.end());
      s.rounds_ns.push_back(median_of(times));
    }
  }
  m.others_share = load.others_share();

  check_all(turns, m);
  return m;
}

}  // namespace doall::bench
