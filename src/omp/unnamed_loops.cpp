#include "omp/unnamed_loops.hpp"

#include "base/clock.hpp"
#include "omp/small_regions.hpp"

namespace doall::omp {
namespace {

// In the place of a file's name: the site is that of the region's loops, not the region's.
constexpr char of_its_loops[] = "unnamed loops";

}  // namespace

unnamed_loops::unnamed_loops(const void* function, std::uint32_t workers)
    : cost_(&team::site_of({function, of_its_loops}).cost) {
  const team::settings& s = team::environment();
  if (s.unnamed_frozen && cost_->settled() && !cost_->is_frozen()) freeze(*cost_, workers);
  timed_ = cost_->timing_due();
  const bool deals = !cost_->known() || !s.small_loops_alone || is_worth_balancing(*cost_, workers);
  choice_ = deals ? unnamed_choice::by_auto : unnamed_choice::too_short;
  using observe::reason;
  if (cost_->is_frozen()) why_ = cost_->is_loaded() ? reason::loaded : reason::frozen;
}

void unnamed_loops::begin() {
  if (timed_) entered_ns_ = base::now_ns();
}

void unnamed_loops::end(std::uint32_t workers, std::uint64_t met) {
  if (!timed_ || met == 0) return;
  cost_->learn(met, (base::now_ns() - entered_ns_) * workers);
}

}  // namespace doall::omp
