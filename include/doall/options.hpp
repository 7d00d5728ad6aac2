// What a loop can be told beside its bounds and its body, and how it ended.
#pragma once

#include <doall/abi.h>
#include <doall/schedule.hpp>

#include <cstdint>
#include <exception>
#include <span>
#include <stop_token>

namespace doall {
inline namespace v0 {

// The last argument of every loop. A schedule alone will do as well.
//
//   doall::parallel_for(0, n, body, doall::schedule::guided());
//   doall::parallel_for(0, n, body, {.how = doall::schedule::guided(), .stop = token});
struct loop_options {
  // Who runs what; default: the runtime's.
  schedule how = {};

  // Once a stop is requested no further iteration begins: each worker ends after
  // the one that it is in, or, with a body that takes a range, after that range.
  // (Under `static` a range is a worker's whole share: such a body asks the token
  // itself if its ranges are long.) Asking costs some 0.5 ns an iteration, and a loop
  // that would be vectorised is not.
  std::stop_token stop = {};

  // The iterations' costs as running sums, for schedules that use costs: iteration
  // number i costs costs[i + 1] - costs[i], in any unit. One more entry than the
  // loop has iterations, never decreasing; the row offsets of a sparse matrix are
  // such an array. Empty: unknown. Any other size throws std::invalid_argument.
  // Read while the loop runs, not copied.
  std::span<const std::uint64_t> costs = {};
};

inline schedule::operator loop_options() const { return {.how = *this}; }

// How a loop ended: all of its iterations have run, or a requested stop came
// before the last of them began. More than the token can tell afterwards, whose
// stop may have been requested when all had run.
enum class loop_end { completed, stopped };

// Thrown by loops whose result a stop has left incomplete.
class DOALL_API stopped : public std::exception {
 public:
  const char* what() const noexcept override {
    return "doall: the loop was stopped before all of its iterations had run, so it has no result";
  }
};

}  // namespace v0
}  // namespace doall
