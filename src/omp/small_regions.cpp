#include "omp/small_regions.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/tick_length.hpp"
#include "decide/burdens.hpp"
#include "decide/constants.hpp"
#include "decide/decide.hpp"
#include "omp/state.hpp"
#include "threads/pool.hpp"

namespace doall::omp {
namespace {

using decide::way;

// Times an empty region on that many workers.
decide::empty_run run_empty_region(std::uint32_t workers) {
  using by = decide::empty_run::by;
  const std::uint64_t start_ns = base::now_ns();
  // As the caller's regions have it.
  using lease = team::pool::lease;
  lease team(workers, lease::else_beside{.workers = workers, .dynamic = self().settings().dynamic});
  if (team.size() != workers) return {by::another_team, 0};
  team.run({.run = [](const barrier::task&, std::uint32_t) {}});
  return {by::all_workers, static_cast<double>(base::now_ns() - start_ns)};
}

constinit decide::burdens regions_price{run_empty_region,
                                        [] { return team::environment().idle_spin_ns; }};

base::tick_length a_tick;

// Measured again when it is old, if something that takes so long alone may gain.
double burden_for(double alone_ns, std::uint32_t workers) {
  return decide::may_gain(alone_ns, workers) ? regions_price.measured_ns(workers)
                                             : regions_price.known_ns(workers);
}

}  // namespace

bool is_worth_balancing(team::loop_cost& loop, std::uint32_t workers) {
  const double alone_ns = loop.serial_ns(1);
  if (!loop.is_frozen()) loop.note_burden(burden_for(alone_ns, workers));
  const decide::facts now{1, workers, loop.burden_ns(), decide::no_chance};
  return decide::decide(now, decide::known_cost(alone_ns)).how == way::balanced;
}

void freeze(team::loop_cost& loop, std::uint32_t workers) {
  loop.freeze(regions_price.measured_ns(workers));
}

small_region::small_region(const void* function, std::uint64_t iterations, std::uint32_t workers)
    : times_(&team::site_of({function}).times()),
      indices_(std::max<std::uint64_t>(iterations, 1)),
      is_one_of_many_(times_->roll() % decide::runs_a_timing != 0) {
  decide::recall none;
  if (is_one_of_many_ && times_->is_usual(indices_, none)) {
    by_.how = way::alone;
  } else {
    const decide::site_view known = times_->view(indices_);
    const double longest_ns =
        static_cast<double>(indices_) * std::max(known.alone.all_ns, known.near_ns);
    burden_ns_ = burden_for(known.is_new() ? decide::always_learnt_ns : longest_ns, workers);
    by_ = decide::decide({.indices = indices_,
                          .workers = workers,
                          .burden_ns = burden_ns_,
                          .dice = times_->roll(),
                          .may_recall = false},
                         known);
    const bool gains = by_.how != way::alone && !by_.explores && !known.is_new();
    if (gains && !regions_price.wakes(by_.gain_ns)) by_.how = way::alone;
    guesses_ = by_.how != way::alone && known.whole_ns == 0;
  }
  began_ticks_ = base::ticks();
}

void small_region::end(std::uint32_t workers, std::uint64_t waited_ticks) const {
  if (times_ == nullptr) return;
  const std::uint64_t ticks = base::ticks() - began_ticks_;
  const bool alone = workers == 1;
  const double tick_ns = is_one_of_many_ ? a_tick.last_ns() : a_tick.measured_ns();
  const double elapsed_ns = static_cast<double>(ticks) * tick_ns;
  const bool is_short = alone && elapsed_ns < decide::always_learnt_ns;
  if (is_short && is_one_of_many_ && !by_.explores) return;
  decide::outcome seen{indices_, alone, elapsed_ns, burden_ns_, by_};
  if (!alone && guesses_)
    seen.guess_ns = static_cast<double>(ticks - std::min(ticks, waited_ticks)) * tick_ns * workers;
  if (!alone) seen.most_ns = std::max(elapsed_ns - burden_ns_, 1.0) * workers;
  times_->learn(seen, decide::runs_stood_for(seen));
}

}  // namespace doall::omp
