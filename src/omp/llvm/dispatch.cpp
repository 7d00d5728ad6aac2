// Loops whose chunks the compiled code asks for one after the other: every kind but static without
// `ordered`. The loop in the ring counts from 0; bounds are translated when they are handed on.
#include <algorithm>

#include "omp/llvm/ident.hpp"
#include "omp/llvm/trips.hpp"
#include "omp/loops.hpp"
#include "omp/ompt/hooks.hpp"

namespace doall::omp {
namespace {

struct decoded_kind {
  std::int32_t plain;
  bool ordered;
};

decoded_kind decode(std::int32_t schedule) {
  std::int32_t kind = without_modifiers(schedule);
  if (kind >= kmp_first_no_merge) kind -= kmp_no_merge;
  const bool ordered = kind >= kmp_first_ordered && kind <= kmp_last_ordered;
  return {ordered ? kind - kmp_ordered_kinds : kind, ordered};
}

loop_kind kind_of(std::int32_t plain) {
  switch (plain) {
    case kmp_static_chunked:
    case kmp_static:
    case kmp_static_greedy:
    case kmp_static_balanced:
    case kmp_static_whole_chunks: return loop_kind::static_;
    case kmp_guided:
    case kmp_guided_iterative:
    case kmp_guided_analytical:
    case kmp_guided_simd: return loop_kind::guided;
    case kmp_runtime:
    case kmp_runtime_simd: return loop_kind::usual_static;
    case kmp_auto: return loop_kind::automatic;
    case kmp_trapezoidal: return loop_kind::trapezoidal;
    case kmp_static_steal: return loop_kind::stealing;
    default: return loop_kind::dynamic;
  }
}

// Whether a chunk size that comes with the kind is the user's.
bool has_chunk(std::int32_t plain) {
  return plain != kmp_static && plain != kmp_runtime && plain != kmp_runtime_simd &&
         plain != kmp_auto && plain != kmp_static_greedy && plain != kmp_static_balanced;
}

loop_order order_of(const task_state& me, std::int32_t schedule, const decoded_kind& kind) {
  // Dependences between iterations keep the order themselves, as long as chunks are monotonic.
  if (me.loop.nest != nullptr || me.loop.nest_alone) return loop_order::monotonic;
  if (kind.ordered) return loop_order::ordered;
  if ((schedule & kmp_monotonic) != 0) return loop_order::monotonic;
  const bool by_variable = kind.plain == kmp_runtime || kind.plain == kmp_runtime_simd;
  if (by_variable) return loop_order::maybe;
  // Clang says so of every loop without a modifier, too.
  return (schedule & kmp_nonmonotonic) != 0 ? loop_order::unsaid : loop_order::monotonic;
}

template <class T, class Step>
void dispatch_init(const ident_t* at, std::int32_t schedule, T lower, T upper, Step increment,
                   Step chunk, const void* code) {
  task_state& me = self();
  leave_dispatched(me);
  const compiled_start says = take_said(me);
  const decoded_kind kind = decode(schedule);
  const std::uint64_t n = trips(lower, upper, increment);
  const bool given = has_chunk(kind.plain) && chunk > 0;
  const bool in_vectors = kind.plain == kmp_runtime_simd && chunk > 0;
  me.loop.dispatched = true;
  me.loop.lower = static_cast<std::uint64_t>(lower);
  me.loop.increment = static_cast<std::uint64_t>(increment);
  begin_loop(me,
             {kind_of(kind.plain), given ? static_cast<std::uint64_t>(chunk) : 0,
              order_of(me, schedule, kind),
              in_vectors ? std::min(static_cast<std::uint64_t>(chunk), n) : 1},
             {n, {0, 1, n}, place_of(at, code)},
             {.compiled = says.note != nullptr ? &says : nullptr});
}

// 1, and a chunk whose bounds are included; or 0, and the thread has left the loop. `last` then
// stays as it was for the thread's last chunk: compiled code looks at it after the loop.
template <class T, class Step>
int dispatch_next(std::int32_t* last, T* lower, T* upper, Step* stride) {
  task_state& me = self();
  const std::uint64_t n = me.loop.cursor.bound();
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  if (!next_range(me, &begin, &end)) {
    leave_dispatched(me);
    return 0;
  }
  const auto first = static_cast<T>(me.loop.lower);
  const auto increment = static_cast<Step>(me.loop.increment);
  *lower = at_iteration(first, begin, increment);
  *upper = at_iteration(first, end - 1, increment);
  if (last != nullptr) *last = end == n ? 1 : 0;
  if (stride != nullptr) *stride = increment;
  return 1;
}

// The iterations of one team of a league.
template <class T, class Step>
bool team_bounds(T* lower, T* upper, Step increment) {
  const std::uint64_t n = trips(*lower, *upper, increment);
  const task_state* outermost = ancestor_at(self(), 0);
  const std::uint64_t each = n / outermost->team_count;
  const std::uint64_t more = n % outermost->team_count;
  const std::uint64_t number = outermost->team_number;
  const std::uint64_t begin = number * each + std::min(number, more);
  const std::uint64_t end = begin + each + (number < more ? 1 : 0);
  const T first = *lower;
  if (begin == end) {
    *lower = increment > 0 ? 1 : 0;
    *upper = increment > 0 ? 0 : 1;
  } else {
    *lower = at_iteration(first, begin, increment);
    *upper = at_iteration(first, end - 1, increment);
  }
  return begin != end && end == n;
}

// `last` says whether the team has the loop's last iteration.
template <class T, class Step>
void dist_dispatch_init(const ident_t* at, std::int32_t schedule, std::int32_t* last, T lower,
                        T upper, Step increment, Step chunk, const void* code) {
  const bool has_last = team_bounds(&lower, &upper, increment);
  if (last != nullptr) *last = has_last ? 1 : 0;
  dispatch_init(at, schedule, lower, upper, increment, chunk, code);
}

}  // namespace
}  // namespace doall::omp

using namespace doall::omp;

extern "C" {

#define DISPATCHED_LOOPS(suffix, type, step)                                                 \
  void __kmpc_dispatch_init_##suffix(ident_t* at, gtid_t, std::int32_t schedule, type lower, \
                                     type upper, step increment, step chunk) {               \
    dispatch_init(at, schedule, lower, upper, increment, chunk, HERE);                       \
  }                                                                                          \
  void __kmpc_dist_dispatch_init_##suffix(ident_t* at, gtid_t, std::int32_t schedule,        \
                                          std::int32_t* last, type lower, type upper,        \
                                          step increment, step chunk) {                      \
    dist_dispatch_init(at, schedule, last, lower, upper, increment, chunk, HERE);            \
  }                                                                                          \
  int __kmpc_dispatch_next_##suffix(ident_t*, gtid_t, std::int32_t* last, type* lower,       \
                                    type* upper, step* stride) {                             \
    return dispatch_next(last, lower, upper, stride);                                        \
  }                                                                                          \
  void __kmpc_dispatch_fini_##suffix(ident_t*, gtid_t) {} /* after each ordered iteration */
DISPATCHED_LOOPS(4, std::int32_t, std::int32_t)
DISPATCHED_LOOPS(4u, std::uint32_t, std::int32_t)
DISPATCHED_LOOPS(8, std::int64_t, std::int64_t)
DISPATCHED_LOOPS(8u, std::uint64_t, std::int64_t)

// What a loop says that doall's pass plugin of Clang has compiled, just before the thread begins
// it.
void doall_loop_costs(compiled_loop* note, const void* context, iteration_cost cost) {
  self().loop.says = {note, context, cost, note->facts};
}

void __kmpc_dispatch_deinit(ident_t*, gtid_t) { leave_dispatched(self()); }

// The turn is passed on when the chunk is complete.
void __kmpc_ordered(ident_t*, gtid_t) { ompt::ordered_begins(); }
void __kmpc_end_ordered(ident_t*, gtid_t) { ompt::ordered_ends(); }

}  // extern "C"
