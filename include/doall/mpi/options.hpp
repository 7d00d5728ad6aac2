// What a loop over ranks can be told beside its bounds and its body.
#pragma once

#include <doall/detail/language.hpp>

#include <doall/costs.hpp>
#include <doall/schedule.hpp>

#include <string>

namespace doall {
inline namespace v0 {
namespace mpi {

// A schedule, which a text converts to: {.between = "guided"}.
class named_schedule : public schedule {
 public:
  named_schedule() = default;
  named_schedule(const schedule& how) : schedule(how) {}
  named_schedule(const char* text) : schedule(text) {}
  named_schedule(const std::string& text) : schedule(text) {}
};

DOALL_DIFFERS_BY_STOPS_BEGIN

// The last argument of every loop over ranks.
struct loop_options {
  // How ranks share the loop; the same on all ranks. Any schedule but those that split
  // (`doall schedules` says which do). Default: static, one block for each rank, so that who owns
  // the data computes; for a loop with costs best-static, blocks of equal cost. One-block schedules
  // need no message while the loop runs. Chunks of the others are dealt by rank 0.
  named_schedule between = {};

  // How a rank's workers share what the rank gets. With one block for each rank: as in a loop on
  // one machine, with the runtime's default. With chunks: any schedule that does not split, which
  // deals the parts of a chunk; default guided.
  named_schedule inside = {};

  // Once a stop is requested on any rank, no rank gets another chunk.
  doall::detail::stop_token stop = {};

  // What iterations cost, by index, for schedules that use costs (best-static, wsrw), between and
  // inside ranks; the same on all ranks.
  loop_costs costs = {};
};

DOALL_DIFFERS_BY_STOPS_END

}  // namespace mpi
}  // namespace v0
}  // namespace doall
