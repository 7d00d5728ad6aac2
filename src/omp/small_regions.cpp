#include "omp/small_regions.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "team/crew.hpp"

namespace doall::omp {
namespace {

// Of an execution alone, how many times its usual length asks for a team.
constexpr double out_of_proportion = 4;

// How long a region takes in which nothing happens, on so many workers.
double time_empty_region_ns(std::uint32_t workers) {
  const std::uint64_t start_ns = base::now_ns();
  team::crew::lease team(workers);
  team.run({.run = [](const barrier::task&, std::uint32_t) {}});
  return static_cast<double>(base::now_ns() - start_ns);
}

// What a tick is, for those who cannot wait for base::tick_scale's clock each time.
class tick_length {
 public:
  // Measures it again.
  double measured_ns() {
    const double ns = scale_.ns_per_tick();
    // (1) relaxed; alone: an estimate
    ns_.store(ns, sync::relaxed);
    return ns;
  }
  // (2) relaxed; alone: an estimate
  double last_ns() const { return ns_.load(sync::relaxed); }

 private:
  base::tick_scale scale_;
  sync::atomic<double> ns_{1.0};  // more than it is, on any machine so far
};

tick_length a_tick;

}  // namespace

small_region::small_region(const void* function, std::uint64_t iterations, std::uint32_t workers)
    : cost_(&team::cost_of(function)),
      together_cost_(&team::cost_of(static_cast<const char*>(function) + 1)),
      iterations_(std::max<std::uint64_t>(iterations, 1)),
      one_execution_(iterations == 0) {
  watched_ = due_ = cost_->timing_due();
  // New: with a team, for it may do anything.
  if (!cost_->known() || !together_cost_->known()) return;
  const double saved_ns = cost_->serial_ns(iterations_) - together_cost_->serial_ns(iterations_);
  // It is asked about loops that are divided by P.
  const double divisible_ns = saved_ns * workers / (workers - 1);
  alone_ = team::best_sharing(divisible_ns, workers, time_empty_region_ns) == team::sharing::none;
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
  if (workers > 1) together_cost_->learn(iterations_, in_ns(inside_ticks));
  cost_->learn(iterations_, in_ns(busy_ticks) * workers);
  // It would be doubted, and the next timing, of a short execution, prove the doubt right.
  if (surprising && one_execution_) cost_->learn(iterations_, in_ns(busy_ticks));
}

}  // namespace doall::omp
