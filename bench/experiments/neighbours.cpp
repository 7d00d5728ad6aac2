#include "experiments/neighbours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace doall::bench {
namespace {

constexpr std::int64_t iterations = 1024;
constexpr std::int64_t iterations_of_nothing = 64;

std::string request(const char* verb, const entrant& e, const loop& l) {
  return fmt::format("{} {} {} {} {}", verb, e.schedule, l.site, l.size.iterations, l.size.units);
}

}  // namespace

contenders start_uforall(const contest& c, peer_waiting waiting,
                         std::vector<std::string> more_of_gomp) {
  roster all(c);
  lane_plan serial{.runtime = serial_name, .door = "none", .program = "lane-uforall-serial"};
  if (c.pinned && !c.cpus.empty()) serial.arguments.push_back(std::to_string(c.cpus.front()));
  if (all.add(serial) == nullptr) all.take();  // throws: nobody is there
  all.add(lane_set{.name = "lane-uforall",
                   .arguments = {"static"},
                   .more_of_gomp = std::move(more_of_gomp),
                   .wait_actively_too = waiting == peer_waiting::actively_too});
  return all.take();
}

std::vector<entrant> entrants_beside_serial(std::span<const contender> present) {
  std::vector<entrant> all = entrants_of(present);
  std::erase_if(all, [](const entrant& e) { return e.who->runtime == serial_name; });
  return all;
}

double serial_loop_ns(lane_process& serial, std::size_t site, uforall::loop_size size) {
  double least_ns = INFINITY;
  for (int attempt = 0; attempt < 9; ++attempt) {
    const auto found = serial.numbers(
        fmt::format("loop {} {} {} {}", serial_name, site, size.iterations, size.units));
    least_ns = std::min(least_ns, found.front());
  }
  return least_ns;
}

std::vector<loop> calibrate(lane_process& serial, const std::vector<double>& serial_ns) {
  constexpr std::uint64_t many = 257;
  const double one_ns = serial_loop_ns(serial, 0, {iterations, 1}) / iterations;
  const double many_ns = serial_loop_ns(serial, 0, {iterations, many}) / iterations;
  const double unit_ns = (many_ns - one_ns) / (many - 1);
  std::vector<loop> loops;
  for (const double ns : serial_ns) {
    loop l{.serial_ns = ns, .site = loops.size(), .size = {iterations_of_nothing, 0}};
    if (ns > 0) {
      const double units = 1 + (ns / iterations - one_ns) / unit_ns;
      l.size = {iterations, static_cast<std::uint64_t>(std::max(1.0, std::round(units)))};
    }
    loops.push_back(l);
  }
  return loops;
}

stretch_times run_loops(const entrant& e, const loop& l, std::uint64_t gap_ns,
                        std::uint64_t time_ns) {
  const auto found =
      e.who->lane->numbers(fmt::format("{} {} {}", request("run", e, l), gap_ns, time_ns), 5);
  return {found[0], found[1], found[2], found[3], found[4]};
}

double rest_after(const entrant& e, const loop& l, std::uint64_t time_ns, std::uint64_t rest_ns) {
  return e.who->lane->numbers(fmt::format("{} {} {}", request("rest", e, l), time_ns, rest_ns))
      .front();
}

}  // namespace doall::bench
