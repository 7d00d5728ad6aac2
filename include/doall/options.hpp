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

// In which groups a reduction combines its parts; the order of the operands is the loop's
// in both.
//
//   fixed  fixed by the length of the loop: the same bits for any number of threads and
//          any schedule.
//   any    as the workers come together: each adds up one block of neighbouring
//          iterations, and what it has is combined as it is joined, left before right, so
//          P workers make P - 1 combinations. Floating-point sums of the same loop may
//          differ in their last bits from one number of threads to another. A permission:
//          with a schedule that does not deal one block a worker it means fixed.
enum class reduce_order { fixed, any };

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

  // Of reductions alone.
  reduce_order order = reduce_order::fixed;
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
