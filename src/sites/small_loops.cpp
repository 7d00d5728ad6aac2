#include "sites/small_loops.hpp"

#include <algorithm>

namespace doall::team {
namespace {

constexpr std::uint8_t runs_a_timing = 16;

// A timing that differs from the others by more than this factor is out of all proportion.
constexpr double out_of_proportion = 4;

double median_of(double a, double b, double c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

}  // namespace

bool loop_cost::timing_due() {
  if (is_frozen()) return false;
  // (5) relaxed; alone: a lost count times a little later
  const std::uint8_t runs = runs_to_timing_.load(sync::relaxed);
  const bool due = runs == 0;
  // (6) relaxed; alone: as (5)
  runs_to_timing_.store(static_cast<std::uint8_t>(due ? runs_a_timing - 1 : runs - 1),
                        sync::relaxed);
  return due;
}

void loop_cost::time_next() {
  // (7) relaxed; alone: as (5)
  runs_to_timing_.store(0, sync::relaxed);
}

double loop_cost::usual_of_last(std::uint32_t timings) const {
  if (timings == 1) return seen_ns(0);
  if (timings == 2) return std::min(seen_ns(0), seen_ns(1));
  return median_of(seen_ns(0), seen_ns(1), seen_ns(2));
}

void loop_cost::load(double iteration_ns, double burden_ns, std::uint8_t shape) {
  // (29) relaxed; alone: an estimate
  iteration_ns_.store(static_cast<float>(iteration_ns), sync::relaxed);
  note_burden(burden_ns);
  note(shape);
  stand(standing::loaded);
}

void loop_cost::learn(std::uint64_t iterations, std::uint64_t elapsed_ns) {
  if (iterations == 0 || is_frozen()) return;
  const double now_ns =
      static_cast<double>(std::max<std::uint64_t>(elapsed_ns, 1)) / static_cast<double>(iterations);
  const double before_ns = iteration_ns();
  const std::uint32_t before = timings();
  // (8) relaxed; alone: an estimate
  seen_ns_[before % seen_most].store(static_cast<float>(now_ns), sync::relaxed);
  // (9) relaxed; alone: an estimate
  timings_.store(before + 1, sync::relaxed);
  // (10) relaxed; alone: an estimate
  iteration_ns_.store(static_cast<float>(usual_of_last(before + 1)), sync::relaxed);
  if (before + 1 < seen_most) return time_next();
  const bool surprising =
      now_ns > out_of_proportion * before_ns || before_ns > out_of_proportion * now_ns;
  // The timing that follows decides, and is not itself followed by another: a site whose loops
  // differ is not timed all the time.
  const bool follows = standing_now() == standing::doubted;
  const bool doubted = surprising && !follows;
  if (doubted != follows) doubt(doubted);
  if (doubted) time_next();
}

}  // namespace doall::team
