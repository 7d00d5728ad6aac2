// What a loop can be told beside its bounds and its body, and how it ended.
#pragma once

#include <doall/detail/language.hpp>

#include <doall/abi.h>
#include <doall/costs.hpp>
#include <doall/schedule.hpp>

#include <cstdint>
#include <exception>

namespace doall {
inline namespace v0 {

// How a reduction groups its operands. Both keep them in the loop's order.
//
//   fixed  The loop's length fixes the groups: the same bits for any number of threads and any
//          schedule.
//   any    The workers fix them. Each chunk that is dealt is added up in one go, after the last one
//          of its worker if that lies directly before it. Where each worker is dealt one block, as
//          in a short loop that names no schedule, blocks are combined as the workers are joined:
//          P workers make P - 1 combinations. Floating-point sums of the same loop may differ in
//          their last bits from one run to another.
enum class reduce_order { fixed, any };

DOALL_DIFFERS_BY_STOPS_BEGIN

// The last argument of every loop. Pass a schedule or costs alone in its place.
//
//   doall::parallel_for(0, n, body, doall::schedule::guided());
//   doall::parallel_for(0, n, body, doall::cost([&](int i) { return degree[i]; }));
//   doall::parallel_for(0, n, body, {.how = doall::schedule::guided(), .stop = token});
struct loop_options {
  // Default: the runtime's schedule, or wsrw for a loop that has costs.
  schedule how = {};

  // Once a stop is requested no further iteration begins: each worker ends after its current
  // iteration or, with a body that takes a range, after that range. (Under `static` a range is all
  // that a worker runs: such a body should ask the token itself if its ranges are long.) Asking
  // costs some 0.5 ns an iteration, and keeps a loop from being vectorised.
  detail::stop_token stop = {};  // std::stop_token (detail/language.hpp)

  // What iterations cost, for schedules that use costs: running sums, the result of cost() or
  // weights(), or a cost_table (costs.hpp). Empty: unknown. A wrong number of costs throws
  // std::invalid_argument.
  loop_costs costs = {};

  // For reductions only.
  reduce_order order = reduce_order::fixed;
};

DOALL_DIFFERS_BY_STOPS_END

inline schedule::operator loop_options() const { return {.how = *this}; }
inline loop_costs::operator loop_options() const { return {.costs = *this}; }
inline cost_table::operator loop_options() const { return {.costs = costs_}; }

namespace detail {
DOALL_DIFFERS_BY_STOPS_BEGIN

// The options of loops that are given none. Constructed once, at load time: writing these 200 bytes
// would take as long as some nested loops run. Each library has its own (open_loops.hpp says why);
// a loop that is given another library's reads them as any options.
union constant_options {
  loop_options none;

  constexpr constant_options() : none() {}
#if defined(__clang__)  // it requires members with constexpr destructors, and omits this one
  ~constant_options() {}
#else
  constexpr ~constant_options() {}
#endif
};
[[gnu::visibility("hidden")]] inline constinit const constant_options constants;

DOALL_DIFFERS_BY_STOPS_END
}  // namespace detail

// How a loop ended: all of its iterations have run, or a requested stop came before the last of
// them began. The token cannot tell these apart afterwards: its stop may have been requested when
// all had run.
enum class loop_end { completed, stopped };

// Thrown by a loop whose result a stop has left incomplete.
class DOALL_API stopped : public std::exception {
 public:
  const char* what() const noexcept override {
    return "doall: the loop was stopped before all of its iterations had run, so it has no result";
  }
};

}  // namespace v0
}  // namespace doall
