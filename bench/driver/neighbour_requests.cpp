#include "driver/neighbour_requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace doall::bench {
namespace {

constexpr std::int64_t iterations = 1024;
constexpr std::int64_t iterations_of_nothing = 64;

std::string loop_text(std::size_t schedule, const loop& l) {
  return fmt::format("{} {} {} {}", schedule, l.site, l.size.iterations, l.size.units);
}

// `count` numbers, or whatever else the lane had to say.
std::vector<double> ask(lane_process& lane, const std::string& request, std::size_t count) {
  const std::string text = lane.ask(request);
  std::istringstream answer(text);
  std::vector<double> numbers;
  for (double n = 0; answer >> n;) numbers.push_back(n);
  if (numbers.size() != count || !answer.eof()) {
    throw lane_error(fmt::format("{}, asked \"{}\": {}", lane.name(), request, text));
  }
  return numbers;
}

// The least of some: whoever is disturbed takes longer.
double iteration_ns(lane_process& serial, std::uint64_t units) {
  const loop l{.size = {iterations, units}};
  double least_ns = INFINITY;
  for (int attempt = 0; attempt < 9; ++attempt) {
    least_ns = std::min(least_ns, ask(serial, "loop " + loop_text(0, l), 1).front());
  }
  return least_ns / iterations;
}

}  // namespace

std::vector<loop> calibrate(lane_process& serial, const std::vector<double>& serial_ns) {
  constexpr std::uint64_t many = 257;
  const double one_ns = iteration_ns(serial, 1);
  const double unit_ns = (iteration_ns(serial, many) - one_ns) / (many - 1);
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

stretch_times run_loops(lane_process& lane, std::size_t schedule, const loop& l,
                        std::uint64_t gap_ns, std::uint64_t time_ns) {
  const auto numbers =
      ask(lane, fmt::format("run {} {} {}", loop_text(schedule, l), gap_ns, time_ns), 5);
  return {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
}

double rest_after(lane_process& lane, std::size_t schedule, const loop& l, std::uint64_t time_ns,
                  std::uint64_t rest_ns) {
  return ask(lane, fmt::format("rest {} {} {}", loop_text(schedule, l), time_ns, rest_ns), 1)
      .front();
}

}  // namespace doall::bench
