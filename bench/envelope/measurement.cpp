#include "envelope/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "burden/round_trip.hpp"
#include "common/load_watch.hpp"
#include "common/shuffle.hpp"
#include "common/statistics.hpp"

namespace doall::bench {
namespace {

using uforall::loop_size;

constexpr std::array sites{"own", "shuffled"};

// Whose turn it is: a schedule of a lane, and where its times go.
struct turn {
  lane_process* lane;
  std::size_t schedule;
  series* to;
};

// The least of some: whoever is disturbed takes longer.
double loop_ns(lane_process& lane, loop_size s) {
  std::vector<double> times_ns;
  for (int attempt = 0; attempt < 9; ++attempt) {
    times_ns.push_back(std::stod(lane.ask(fmt::format("loop 0 {} {}", s.iterations, s.units))));
  }
  return std::ranges::min(times_ns);
}

// What an iteration must compute for a loop to take its T on this machine: within
// some per cent, as units are whole. What a loop takes indeed is measured in every round.
std::vector<loop_size> calibrate(lane_process& serial) {
  constexpr std::int64_t many = 10'000;
  constexpr std::uint64_t units = 65;
  const double least_ns = loop_ns(serial, {many, 1}) / many;
  const double unit_ns = (loop_ns(serial, {many, units}) / many - least_ns) / (units - 1);
  std::vector<loop_size> sizes;
  for (std::size_t k = 0; k < uforall::sizes; ++k) {
    const std::int64_t iterations = uforall::iterations(k);
    const double iteration_ns = uforall::serial_ns(k) / static_cast<double>(iterations);
    const double more = std::round((iteration_ns - least_ns) / unit_ns);
    sizes.push_back({iterations, 1 + static_cast<std::uint64_t>(std::max(0.0, more))});
  }
  return sizes;
}

// Before every turn, not once a round: a virtual machine's CPUs may be two threads of a
// core in one second, and two cores in the next.
double round_trip_ns(const contest& c) {
  constexpr unsigned batches = 4;
  return median_of(round_trips(c.cpus[0], c.cpus[1], batches));
}

std::vector<double> time(const turn& t, unsigned seed, const std::string& units) {
  const std::string text =
      t.lane->ask(fmt::format("time {} {} {}{}", t.schedule, t.to->site, seed, units));
  std::istringstream answer(text);
  std::vector<double> times_ns;
  for (double ns = 0; answer >> ns;) times_ns.push_back(ns);
  if (times_ns.size() != uforall::sizes) {
    throw lane_error(fmt::format("{}, {}, {}: expected {} times, got \"{}\"", t.lane->name(),
                                 t.to->schedule, t.to->site, uforall::sizes, text));
  }
  return times_ns;
}

// For each schedule as many as there are sites, one after the other.
std::vector<series> all_series(const contender& p) {
  std::vector<series> made;
  for (const std::string& schedule : p.lane->offers()) {
    for (const char* site : sites) {
      made.push_back({.runtime = p.runtime,
                      .door = p.door,
                      .setting = p.setting,
                      .library = p.lane->library(),
                      .schedule = schedule,
                      .site = site,
                      .threads = p.lane->threads()});
    }
  }
  return made;
}

}  // namespace

measurement measure(const contest& c, std::vector<contender>& present, unsigned rounds,
                    const std::function<void(unsigned)>& progress) {
  measurement m;
  std::vector<std::vector<series>> of_lanes;
  std::vector<turn> turns;
  for (const contender& p : present) of_lanes.push_back(all_series(p));
  for (std::size_t p = 0; p < present.size(); ++p) {
    for (std::size_t s = 0; s < of_lanes[p].size(); ++s) {
      turns.push_back({present[p].lane.get(), s / sites.size(), &of_lanes[p][s]});
    }
  }
  const auto serial = std::ranges::find(present, serial_name, &contender::runtime);
  m.sizes = calibrate(*serial->lane);
  std::string units;
  for (const loop_size& s : m.sizes) units += fmt::format(" {}", s.units);

  const load_watch load(present);
  base::rng random(1);
  for (unsigned round = 0; round < rounds; ++round) {
    progress(round);
    shuffle(turns, random);
    for (const turn& t : turns) {
      if (c.cpus.size() > 1) t.to->round_trips_ns.push_back(round_trip_ns(c));
      t.to->rounds_ns.push_back(time(t, round, units));
    }
  }
  m.others_share = load.others_share();

  for (std::vector<series>& some : of_lanes) {
    auto& to = some.front().runtime == serial_name ? m.serial : m.all;
    std::ranges::move(some, std::back_inserter(to));
  }
  return m;
}

}  // namespace doall::bench
