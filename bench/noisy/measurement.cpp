#include "noisy/measurement.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/clock.hpp"
#include "common/load_watch.hpp"
#include "common/shuffle.hpp"
#include "noisy/busy_process.hpp"

namespace doall::bench {
namespace {

// Some hundred time slices of the kernel's.
constexpr std::uint64_t time_ns = 300'000'000;

// A length, and who runs it; nobody: the serial loop.
struct turn {
  std::size_t loop;
  series* of;
};

void take(const turn& t, lane_process& serial, measurement& m) {
  noisy_loop& l = m.loops[t.loop];
  if (t.of == nullptr) {
    l.serial_ns.push_back(run_loops(serial, 0, l.what, 0, time_ns).mean_ns);
    return;
  }
  const loop_times found = run_loops(*t.of->of.lane, t.of->of.index, l.what, 0, time_ns);
  t.of->mean_ns.push_back(found.mean_ns);
  t.of->p99_ns.push_back(found.p99_ns);
}

}  // namespace

measurement measure(const contest& c, const std::vector<contender>& present, unsigned rounds,
                    const std::function<void(unsigned)>& progress) {
  lane_process& serial = *present.front().lane;
  measurement m;
  // By number, not by core: the serial loop is pinned to the first of the cores.
  m.busy_cpu = std::ranges::max(c.cpus);
  for (const loop& l : calibrate(serial, {1e5, 1e7})) m.loops.push_back({l});
  for (std::size_t l = 0; l < m.loops.size(); ++l) {
    for (const entrant& e : entrants_of(present)) m.all.push_back({e, l});
  }
  std::vector<turn> turns;
  for (std::size_t l = 0; l < m.loops.size(); ++l) turns.push_back({l, nullptr});
  for (series& s : m.all) turns.push_back({s.loop, &s});

  const load_watch load(present);
  const std::uint64_t begin_ns = base::now_ns();
  const busy_process busy(m.busy_cpu);
  base::rng random(1);
  for (unsigned round = 0; round < rounds; ++round) {
    progress(round);
    shuffle(turns, random);
    for (const turn& t : turns) take(t, serial, m);
  }
  const double busy_share = static_cast<double>(busy.cpu_ns()) /
                            static_cast<double>(base::now_ns() - begin_ns) /
                            static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  m.others_share = std::max(0.0, load.others_share() - busy_share);
  return m;
}

}  // namespace doall::bench
