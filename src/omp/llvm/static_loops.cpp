// Static loops, sections, and `distribute`: the compiled code asks for its bounds once, and runs
// them. A thread computes them alone, from its number, unless the region's static loops are dealt
// (region::deals_static): then a block schedule that steers them, or the report, takes part.
//
// Without a chunk size the first N mod P threads get one iteration more than the others, as in the
// code that GCC compiles: an iteration has the same home in both.
#include <algorithm>

#include "omp/llvm/ident.hpp"
#include "omp/llvm/trips.hpp"
#include "omp/loops.hpp"
#include "omp/ompt/hooks.hpp"

namespace doall::omp {
namespace {

// Who shares the iterations: the threads of the team, or the teams of a league.
struct sharers {
  std::uint64_t index;
  std::uint64_t count;
};

sharers threads_of(const task_state& me) { return {me.index, me.team->size}; }
sharers teams_of(const task_state& me) {
  const task_state* outermost = ancestor_at(me, 0);
  return {outermost->team_number, outermost->team_count};
}

// Iterations begin to end - 1, then the same `stride` later, and so on.
struct part {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t stride = 0;
  bool has_last = false;
};

part block_of(const sharers& s, std::uint64_t n) {
  const std::uint64_t each = n / s.count;
  const std::uint64_t more = n % s.count;
  const std::uint64_t begin = s.index * each + std::min(s.index, more);
  const std::uint64_t end = begin + each + (s.index < more ? 1 : 0);
  return {begin, end, n, end == n && begin != end};
}

// Chunks are dealt in turn.
part chunks_of(const sharers& s, std::uint64_t n, std::uint64_t chunk) {
  const std::uint64_t size = std::min(std::max<std::uint64_t>(chunk, 1), n);
  const std::uint64_t chunks = base::ceil_div(n, size);
  const std::uint64_t stride = base::saturating_mul(size, s.count);
  if (s.index >= chunks) return {0, 0, stride, false};
  const std::uint64_t begin = size * s.index;
  // Who has one chunk gets the loop's end for a stride: the usual one need not fit in the type.
  return {begin, base::add_up_to(begin, size, n), chunks <= s.count ? n - begin : stride,
          (chunks - 1) % s.count == s.index};
}

// One block each, a multiple of `chunk` (the length of a vector) but for the last.
part whole_chunks_of(const sharers& s, std::uint64_t n, std::uint64_t chunk) {
  const std::uint64_t unit = std::max<std::uint64_t>(chunk, 1);
  const std::uint64_t size = base::ceil_div(base::ceil_div(n, s.count), unit) * unit;
  const std::uint64_t begin = std::min(n, base::saturating_mul(size, s.index));
  const std::uint64_t end = base::add_up_to(begin, size, n);
  return {begin, end, n, end == n && begin != end};
}

// One block from the schedule that deals the region's static loops. Loops without a barrier between
// them have the same blocks, so what one of them costs does not count
// (src/plugin/llvm/barriers.cpp).
part dealt_block(task_state& me, std::uint64_t n, const source_place& place,
                 const compiled_start& says) {
  const bool told = says.note != nullptr && !me.blocks_open;
  begin_loop(me, {loop_kind::block, 0, loop_order::monotonic}, {n, {0, 1, n}, place},
             {.compiled = told ? &says : nullptr});
  workshare& w = me.loop;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  // Not next_range(), which would tell a tool of a chunk: it is told of the block.
  w.dealt = w.cursor.next_range(&begin, &end) ? workshare::block : workshare::nothing;
  return {begin, end, n, end == n && begin != end};
}

part part_of(task_state& me, const sharers& s, std::int32_t kind, std::uint64_t n,
             std::uint64_t chunk, const ident_t* at, const void* code, const compiled_start& says) {
  switch (kind) {
    case kmp_static_chunked:
    case kmp_distribute_chunked: return chunks_of(s, n, chunk);
    case kmp_static_whole_chunks: return whole_chunks_of(s, n, chunk);
    case kmp_distribute: return block_of(s, n);
    default: break;
  }
  const bool sections = at != nullptr && (at->flags & ident_sections) != 0;
  if (sections) return block_of(s, n);
  if (!me.team->deals_static && !says.names_schedule()) {
    ++me.unnamed_loops;
    return block_of(s, n);
  }
  return dealt_block(me, n, place_of(at, code), says);
}

// Bounds between which no loop with that increment runs. `upper` is the loop's own before: of
// combined constructs with chunks of one iteration the compiled code compares the lower bound with
// that, and ignores what it gets.
template <class T, class Step>
void make_empty(T* lower, T* upper, Step increment) {
  const T beyond = at_iteration(*upper, 1, increment > 0 ? Step{1} : Step{-1});
  if (increment > 0 ? beyond > *upper : beyond < *upper) {
    *lower = beyond;
    return;
  }
  *lower = increment > 0 ? 1 : 0;
  *upper = increment > 0 ? 0 : 1;
}

template <class T, class Step>
void give(const part& p, std::int32_t* last, T* lower, T* upper, Step* stride, Step increment) {
  if (last != nullptr) *last = p.has_last ? 1 : 0;
  if (stride != nullptr) *stride = static_cast<Step>(at_iteration<T>(0, p.stride, increment));
  const T first = *lower;
  if (p.begin == p.end) {
    make_empty(lower, upper, increment);
    return;
  }
  *lower = at_iteration(first, p.begin, increment);
  *upper = at_iteration(first, p.end - 1, increment);
}

ompt_work_t work_of(const ident_t* at) {
  const bool sections = at != nullptr && (at->flags & ident_sections) != 0;
  return sections ? ompt_work_sections : ompt_work_loop;
}

template <class T, class Step>
void static_init(const ident_t* at, std::int32_t schedule, std::int32_t* last, T* lower, T* upper,
                 Step* stride, Step increment, Step chunk, const void* code) {
  task_state& me = self();
  const compiled_start says = take_said(me);
  if (says.keeps_blocks()) me.blocks_open = true;
  const std::int32_t kind = without_modifiers(schedule);
  const std::uint64_t n = trips(*lower, *upper, increment);
  if (n == 0) {  // the bounds say so already, or wrap in the compiled code as here
    ompt::static_loop_begins(work_of(at), n, code);
    if (last != nullptr) *last = 0;
    if (stride != nullptr) *stride = increment;
    return;
  }
  const bool teams = kind == kmp_distribute || kind == kmp_distribute_chunked;
  const ompt_work_t work = teams ? ompt_work_distribute : work_of(at);
  ompt::static_loop_begins(work, n, code);
  const sharers s = teams ? teams_of(me) : threads_of(me);
  const auto given = static_cast<std::uint64_t>(chunk > 0 ? chunk : 0);
  const part p = part_of(me, s, kind, n, given, at, code, says);
  give(p, last, lower, upper, stride, increment);
  if (ompt::is_watched()) [[unlikely]]
    ompt::watched_static_chunk(work, static_cast<std::uint64_t>(*lower), p.end - p.begin);
}

// `distribute parallel for` in one call: a block of iterations for the team, whose threads share
// it.
template <class T, class Step>
void dist_for_static_init(std::int32_t schedule, std::int32_t* last, T* lower, T* upper,
                          T* team_upper, Step* stride, Step increment, Step chunk) {
  task_state& me = self();
  const std::uint64_t n = trips(*lower, *upper, increment);
  if (n == 0) {
    if (last != nullptr) *last = 0;
    *team_upper = *upper;
    *stride = increment;
    return;
  }
  const T first = *lower;
  const part team = block_of(teams_of(me), n);
  if (team.begin == team.end) {
    make_empty(lower, upper, increment);
    *team_upper = *upper;
    if (last != nullptr) *last = 0;
    *stride = increment;
    return;
  }
  *team_upper = at_iteration(first, team.end - 1, increment);
  *lower = at_iteration(first, team.begin, increment);
  *upper = *team_upper;
  const sharers s = threads_of(me);
  const std::uint64_t own = team.end - team.begin;
  const auto given = static_cast<std::uint64_t>(chunk > 0 ? chunk : 0);
  part p = without_modifiers(schedule) == kmp_static_chunked ? chunks_of(s, own, given)
                                                             : block_of(s, own);
  p.has_last = p.has_last && team.has_last;
  give(p, last, lower, upper, stride, increment);
}

// The team's first chunk of `distribute`, with a chunk size.
template <class T, class Step>
void team_static_init(std::int32_t* last, T* lower, T* upper, Step* stride, Step increment,
                      Step chunk) {
  const std::uint64_t n = trips(*lower, *upper, increment);
  if (n == 0) return;
  const auto given = static_cast<std::uint64_t>(chunk > 0 ? chunk : 0);
  give(chunks_of(teams_of(self()), n, given), last, lower, upper, stride, increment);
}

}  // namespace
}  // namespace doall::omp

using namespace doall::omp;

extern "C" {

#define STATIC_LOOPS(suffix, type, step)                                                           \
  void __kmpc_for_static_init_##suffix(ident_t* at, gtid_t, std::int32_t schedule,                 \
                                       std::int32_t* last, type* lower, type* upper, step* stride, \
                                       step increment, step chunk) {                               \
    static_init(at, schedule, last, lower, upper, stride, increment, chunk, HERE);                 \
  }                                                                                                \
  void __kmpc_dist_for_static_init_##suffix(                                                       \
      ident_t*, gtid_t, std::int32_t schedule, std::int32_t* last, type* lower, type* upper,       \
      type* team_upper, step* stride, step increment, step chunk) {                                \
    dist_for_static_init(schedule, last, lower, upper, team_upper, stride, increment, chunk);      \
  }                                                                                                \
  void __kmpc_team_static_init_##suffix(ident_t*, gtid_t, std::int32_t* last, type* lower,         \
                                        type* upper, step* stride, step increment, step chunk) {   \
    team_static_init(last, lower, upper, stride, increment, chunk);                                \
  }
STATIC_LOOPS(4, std::int32_t, std::int32_t)
STATIC_LOOPS(4u, std::uint32_t, std::int32_t)
STATIC_LOOPS(8, std::int64_t, std::int64_t)
STATIC_LOOPS(8u, std::uint64_t, std::int64_t)

void __kmpc_for_static_fini(ident_t*, gtid_t) {
  task_state& me = self();
  workshare& w = me.loop;
  ompt::loop_ends();
  if (w.dealt == workshare::not_here) return;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  // The schedule is asked once more, for that is how it learns what the block took.
  if (w.dealt == workshare::block) w.cursor.next_range(&begin, &end);
  w.dealt = workshare::not_here;
  end_loop_nowait(me);
}

}  // extern "C"
