// What a loop can be told beside its bounds and its body, and how it ended.
#pragma once

#include <doall/abi.h>
#include <doall/costs.hpp>
#include <doall/schedule.hpp>

#include <cstdint>
#include <exception>
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
//          differ in their last bits from one number of threads to another. A nested loop, one
//          with costs, or with a schedule that does not deal one block a worker, is added up in
//          the chunks that are dealt, and these from left to right.
enum class reduce_order { fixed, any };

// The last argument of every loop. A schedule alone will do as well, or costs.
//
//   doall::parallel_for(0, n, body, doall::schedule::guided());
//   doall::parallel_for(0, n, body, doall::cost([&](int i) { return degree[i]; }));
//   doall::parallel_for(0, n, body, {.how = doall::schedule::guided(), .stop = token});
struct loop_options {
  // Who runs what; default: the runtime's, or wsrw for a loop that has costs.
  schedule how = {};

  // Once a stop is requested no further iteration begins: each worker ends after
  // the one that it is in, or, with a body that takes a range, after that range.
  // (Under `static` a range is a worker's whole share: such a body asks the token
  // itself if its ranges are long.) Asking costs some 0.5 ns an iteration, and a loop
  // that would be vectorised is not.
  std::stop_token stop = {};

  // What iterations cost, for schedules that use costs: running sums, or what cost() or weights()
  // return, or a cost_table (costs.hpp). Empty: unknown. A wrong number of them throws
  // std::invalid_argument.
  loop_costs costs = {};

  // Of reductions alone.
  reduce_order order = reduce_order::fixed;
};

inline schedule::operator loop_options() const { return {.how = *this}; }
inline loop_costs::operator loop_options() const { return {.costs = *this}; }
inline cost_table::operator loop_options() const { return {.costs = costs_}; }

namespace detail {

// The options of loops that are given none. Made once, before the program runs: nested loops that
// take no longer than it takes to write the 200 bytes of them are met.
union constant_options {
  loop_options none;

  constexpr constant_options() : none() {}
#if defined(__clang__)  // which asks for members with such destructors, and leaves this one out
  ~constant_options() {}
#else
  constexpr ~constant_options() {}
#endif
};
inline constinit const constant_options constants;

}  // namespace detail

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
