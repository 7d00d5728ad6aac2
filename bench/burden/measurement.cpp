#include "burden/measurement.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/rng.hpp"
#include "burden/machine.hpp"
#include "burden/round_trip.hpp"
#include "burden/statistics.hpp"

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

std::uint64_t own_cpu_ns(const std::vector<contender>& present) {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  std::uint64_t sum_ns = static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
                         static_cast<std::uint64_t>(used.tv_nsec);
  for (const contender& c : present) sum_ns += c.lane->cpu_ns();
  return sum_ns;
}

// Another order each round, so that nobody always runs after the same neighbour;
// the same orders in every run.
void shuffle(std::vector<turn>& turns, base::rng& random) {
  for (std::size_t left = turns.size(); left > 1; --left) {
    std::swap(turns[left - 1], turns[random.below(left)]);
  }
}

void check_all(const std::vector<turn>& turns, measurement& m) {
  for (const turn& t : turns) {
    m.all[t.series].shared_part = t.lane->check(t.schedule, loops_to_check);
  }
}

}  // namespace

measurement measure(const contest& c, std::vector<contender>& present, unsigned rounds,
                    const std::function<void(unsigned)>& progress) {
  measurement m;
  std::vector<turn> turns;
  for (contender& p : present) {
    for (std::size_t s = 0; s < p.lane->schedules().size(); ++s) {
      turns.push_back({p.lane.get(), s, m.all.size()});
      m.all.push_back({.runtime = p.runtime,
                       .door = p.door,
                       .setting = p.setting,
                       .library = p.lane->library(),
                       .schedule = p.lane->schedules()[s],
                       .threads = p.lane->threads()});
    }
  }
  check_all(turns, m);

  const std::uint64_t begin_ns = base::now_ns();
  const std::uint64_t busy_before_ns = machine_busy_ns();
  const std::uint64_t own_before_ns = own_cpu_ns(present);
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
      const std::vector<double> times = t.lane->time(t.schedule, batches_a_round);
      series& s = m.all[t.series];
      s.batches_ns.insert(s.batches_ns.end(), times.begin(), times.end());
      s.rounds_ns.push_back(median_of(times));
    }
  }
  const auto own_ns = static_cast<double>(own_cpu_ns(present) - own_before_ns);
  const auto busy_ns = static_cast<double>(machine_busy_ns() - busy_before_ns);
  const auto cpu_ns = static_cast<double>(base::now_ns() - begin_ns) *
                      static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  m.others_share = std::clamp((busy_ns - own_ns) / cpu_ns, 0.0, 1.0);

  check_all(turns, m);
  return m;
}

}  // namespace doall::bench
