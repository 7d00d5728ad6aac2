#include "idle/measurement.hpp"

#include "common/load_watch.hpp"
#include "common/shuffle.hpp"

namespace doall::bench {
namespace {

// Of loops with one gap, and before a rest.
constexpr std::uint64_t time_ns = 20'000'000;

std::vector<std::function<void()>> turns_of(measurement& m, const loop& burst) {
  std::vector<std::function<void()>> turns;
  for (rest_series& s : m.rests) {
    turns.emplace_back([&s, burst] {
      s.cpu_ns.push_back(rest_after(*s.of.lane, s.of.index, burst, time_ns, rest_ns));
    });
  }
  for (gap_series& s : m.loops) {
    for (std::size_t g = 0; g < gaps_ns.size(); ++g) {
      turns.emplace_back([&s, g] {
        const loop_times found = run_loops(*s.of.lane, s.of.index, s.what, gaps_ns[g], time_ns);
        s.median_ns[g].push_back(found.median_ns);
        s.busy_cpus[g].push_back(found.busy_cpus);
      });
    }
  }
  return turns;
}

}  // namespace

measurement measure(const std::vector<contender>& present, unsigned rounds,
                    const std::function<void(unsigned)>& progress) {
  const std::vector<loop> loops = calibrate(*present.front().lane, {0, 1e5});
  measurement m;
  for (const entrant& e : entrants_of(present)) {
    if (e.index == 0) m.rests.push_back({e});
  }
  for (const loop& l : loops) {
    for (const entrant& e : entrants_of(present)) m.loops.push_back({e, l});
  }
  auto turns = turns_of(m, loops.back());

  const load_watch load(present);
  base::rng random(1);
  for (unsigned round = 0; round < rounds; ++round) {
    progress(round);
    shuffle(turns, random);
    for (const auto& turn : turns) turn();
  }
  m.others_share = load.others_share();
  return m;
}

}  // namespace doall::bench
