#include "oversubscribed/measurement.hpp"

#include <algorithm>

#include "common/load_watch.hpp"
#include "common/shuffle.hpp"

namespace doall::bench {
namespace {

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

}  // namespace

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

}  // namespace doall::bench
