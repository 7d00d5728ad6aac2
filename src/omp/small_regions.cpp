#include "omp/small_regions.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/tick_length.hpp"
#include "decide/burdens.hpp"
#include "decide/constants.hpp"
#include "decide/decide.hpp"
#include "threads/crew.hpp"

namespace doall::omp {
namespace {

// An execution alone that takes this many times its usual length asks for a team.
constexpr double out_of_proportion = 4;

// Times an empty region on that many workers.
decide::empty_run run_empty_region(std::uint32_t workers) {
  using by = decide::empty_run::by;
  const std::uint64_t start_ns = base::now_ns();
  team::crew::lease team(workers, barrier::attendance::everyone);
  if (team.size() != workers) return {by::another_team, 0};
  team.run({.run = [](const barrier::task&, std::uint32_t) {}});
  return {by::all_workers, static_cast<double>(base::now_ns() - start_ns)};
}

constinit decide::burdens regions_price{run_empty_region,
                                        [] { return team::environment().idle_spin_ns; }};

base::tick_length a_tick;

// Of a region that a team does not slow down, a timing alone in 64 runs costs less than a
// hundredth.
constexpr double short_ns = 20'000;
constexpr std::uint32_t timings_a_turn = 4;

bool is_turn_of_alone() {
  static constinit sync::atomic<std::uint32_t> timings{0};
  // (1) relaxed; alone: any of them will do
  return timings.fetch_add(1, sync::relaxed) % timings_a_turn == 0;
}

}  // namespace

bool is_worth_balancing(team::loop_cost& loop, std::uint32_t workers) {
  if (!loop.is_frozen()) {
    const bool asks = decide::way_by_cost(loop.serial_ns(1), 0, workers) != decide::way::alone;
    loop.note_burden(asks ? regions_price.measured_ns(workers) : regions_price.known_ns(workers));
  }
  return decide::way_by_cost(loop.serial_ns(1), loop.burden_ns(), workers) == decide::way::balanced;
}

void freeze(team::loop_cost& loop, std::uint32_t workers) {
  loop.freeze(regions_price.measured_ns(workers));
}

namespace {

// Whether a team saves a region more than it costs.
bool gains(double saved_ns, std::uint32_t workers) {
  if (saved_ns < decide::least_burden_ns) return false;
  const double gain_ns = saved_ns - regions_price.measured_ns(workers);
  return gain_ns > 0 && regions_price.wakes(gain_ns);
}

}  // namespace

small_region::small_region(const void* function, std::uint64_t iterations, std::uint32_t workers)
    : iterations_(std::max<std::uint64_t>(iterations, 1)), one_execution_(iterations == 0) {
  team::loop_site& site = team::site_of({function});
  cost_ = &site.cost;
  together_cost_ = &site.together;
  watched_ = due_ = cost_->timing_due();
  // A new region gets a team, for it may do anything.
  if (!cost_->known() || !together_cost_->known()) return;
  const double saved_ns = cost_->serial_ns(iterations_) - together_cost_->serial_ns(iterations_);
  alone_ = !gains(saved_ns, workers);
  // What a thread of a team takes says little of a short region: it waits for lines that others
  // write. So some timings are of the region alone, and those are believed.
  is_short_ = !alone_ && cost_->serial_ns(iterations_) < short_ns;
  if (is_short_ && due_ && is_turn_of_alone()) alone_ = true;
  watched_ = due_ || (alone_ && one_execution_);
}

void small_region::begin() {
  if (watched_) entered_ticks_ = base::ticks();
}

void small_region::end(std::uint32_t workers, std::uint64_t waited_ticks) {
  if (!watched_) return;
  const std::uint64_t inside_ticks = base::ticks() - entered_ticks_;
  const std::uint64_t busy_ticks = inside_ticks - std::min(inside_ticks, waited_ticks);
  const double usual_ns = cost_->serial_ns(iterations_);
  const bool surprising =
      alone_ && static_cast<double>(busy_ticks) * a_tick.last_ns() > out_of_proportion * usual_ns;
  if (!due_ && !surprising) return;
  const double tick_ns = a_tick.measured_ns();
  const auto in_ns = [tick_ns](std::uint64_t ticks) {
    return static_cast<std::uint64_t>(static_cast<double>(ticks) * tick_ns);
  };
  const auto learn = [this](team::loop_cost& of, std::uint64_t elapsed_ns) {
    return one_execution_ ? of.learn_warily(1, elapsed_ns) : of.learn(iterations_, elapsed_ns);
  };
  if (workers > 1) learn(*together_cost_, in_ns(inside_ticks));
  if (workers == 1 || !is_short_) learn(*cost_, in_ns(busy_ticks) * workers);
  // Learn it twice: once would be doubted, and the next timing, of a short execution, would confirm
  // the doubt.
  if (one_execution_ && surprising) cost_->learn_warily(1, in_ns(busy_ticks));
}

}  // namespace doall::omp
