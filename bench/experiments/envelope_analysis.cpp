#include "experiments/envelope_analysis.hpp"

#include <algorithm>
#include <cmath>

namespace doall::bench {
namespace {

constexpr double gate_ns = 30;
constexpr double gaining = 1.2;

std::vector<double> of_size(const sweep_rounds& rounds, std::size_t k) {
  std::vector<double> times_ns;
  for (const std::vector<double>& round : rounds) times_ns.push_back(round[k]);
  return times_ns;
}

double greatest_speed_up(const std::vector<point>& points) {
  return std::ranges::max_element(points, {}, &point::speed_up)->speed_up;
}

}  // namespace

double envelope_ns(double serial_ns, double workers, std::optional<double> round_trip_ns) {
  const double alone_ns = serial_ns + gate_ns;
  if (!round_trip_ns) return alone_ns;
  return std::min(alone_ns, serial_ns / workers + *round_trip_ns);
}

std::optional<double> burden_ns(const std::vector<point>& points, double workers) {
  // The sum of ((d + T/P - t) / t)^2 is least where its derivative by d is 0.
  double residues = 0;
  double weights = 0;
  for (const point& p : points) {
    if (p.speed_up < gaining) continue;
    const double loop_ns = p.serial_ns / p.speed_up;
    const double weight = 1 / (loop_ns * loop_ns);
    residues += weight * (loop_ns - p.serial_ns / workers);
    weights += weight;
  }
  if (weights == 0) return std::nullopt;
  return residues / weights;
}

double serial_ns_at(const std::vector<point>& points, double part) {
  const double wanted = part * greatest_speed_up(points);
  const auto above =
      std::ranges::find_if(points, [&](const point& p) { return p.speed_up >= wanted; });
  if (above == points.begin()) return above->serial_ns;
  const auto below = std::prev(above);
  const double way = (wanted - below->speed_up) / (above->speed_up - below->speed_up);
  return below->serial_ns * std::pow(above->serial_ns / below->serial_ns, way);
}

figures analyse(const sweep_rounds& loops, const sweep_rounds& serial,
                const std::vector<double>& round_trips_ns, double workers) {
  const std::size_t rounds = loops.size();
  const std::size_t sizes = loops.front().size();
  sweep_rounds speed_ups(rounds, std::vector<double>(sizes));
  sweep_rounds to_envelope = speed_ups;
  std::vector<double> geomeans;
  for (std::size_t r = 0; r < rounds; ++r) {
    const auto trip_ns = round_trips_ns.empty() ? std::nullopt : std::optional(round_trips_ns[r]);
    for (std::size_t k = 0; k < sizes; ++k) {
      speed_ups[r][k] = serial[r][k] / loops[r][k];
      to_envelope[r][k] = loops[r][k] / envelope_ns(serial[r][k], workers, trip_ns);
    }
    geomeans.push_back(geometric_mean(to_envelope[r]));
  }

  figures f;
  std::vector<double> ratios;
  for (std::size_t k = 0; k < sizes; ++k) {
    const std::vector<double> of_rounds = of_size(to_envelope, k);
    ratios.push_back(median_of(of_rounds));
    f.points.push_back({.serial_ns = median_of(of_size(serial, k)),
                        .loop_ns = summarise(of_size(loops, k)),
                        .speed_up = median_of(of_size(speed_ups, k)),
                        .to_envelope = ratios.back(),
                        .interval = estimate_median(of_rounds)});
  }
  const summary spread = summarise(geomeans);
  const auto worst = std::ranges::max_element(f.points, {}, &point::to_envelope);
  f.geomean = geometric_mean(ratios);
  f.geomean_low = spread.p5;
  f.geomean_high = spread.p95;
  f.worst = worst->to_envelope;
  f.worst_at_ns = worst->serial_ns;
  f.peak = greatest_speed_up(f.points);
  f.burden_ns = burden_ns(f.points, workers);
  f.t5_ns = serial_ns_at(f.points, 0.05);
  f.t50_ns = serial_ns_at(f.points, 0.5);
  f.t95_ns = serial_ns_at(f.points, 0.95);
  return f;
}

}  // namespace doall::bench
