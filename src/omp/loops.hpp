// Worksharing loops and sections, for every entry point that the compilers call.
#pragma once

#include <cstdint>
#include <utility>

#include "omp/compiled_loop.hpp"
#include "omp/loop_dealing.hpp"
#include "omp/region.hpp"
#include "omp/source_place.hpp"
#include "omp/state.hpp"

namespace doall::omp {

// `usual_static`: of the kind runtime, static unless something names a schedule. `automatic` leaves
// the choice to doall. `block`: static, in one block for each thread, whose bounds the runtime
// says. `steerable`: static, of the kind that doall's plugin compiles; `paired`: such a one on
// whose blocks another loop may rely.
enum class loop_kind {
  static_,
  dynamic,
  guided,
  runtime,
  usual_static,
  automatic,
  block,
  steerable,
  paired,
  trapezoidal,
  stealing,
  sections
};

// The order of chunks that the construct asks for. Both compilers pass plain `dynamic` and `guided`
// as they pass `nonmonotonic: dynamic`, since OpenMP 5.0 makes that the default.
enum class loop_order {
  free,       // none: the source says `nonmonotonic`
  unsaid,     // none, or the source says nothing: rising, unless a schedule is named that is not
  maybe,      // unsaid, unless the run-sched-var has a modifier
  monotonic,  // each worker's chunks in increasing order
  ordered,    // that, and `ordered` regions inside
};

// The schedule clause; chunk 0: not given.
struct loop_clause {
  loop_kind kind = loop_kind::dynamic;
  std::uint64_t chunk = 0;
  loop_order order = loop_order::unsaid;
  std::uint64_t width = 1;  // of a vector: chunks, also those of the run-sched-var, count these
};

// The loop's iterations, as its source counts them.
struct loop_source {
  std::uint64_t iterations = 0;
  schedules::numbering numbers;
  source_place place;
};

// for (i = start; i < end; i += increment), or > when increment < 0.
loop_source count_long(long start, long end, long increment, const void* code);

// The same for unsigned long long; a downward increment is its two's complement.
loop_source count_ull(bool up, unsigned long long start, unsigned long long end,
                      unsigned long long increment, const void* code);

// What a construct may ask for beside its iterations.
struct loop_wishes {
  std::uintptr_t* reductions = nullptr;        // task reductions
  void** scratch = nullptr;                    // in: bytes; out: zeroed memory of the team's
  const unsigned long long* counts = nullptr;  // doacross: the nest's trip counts
  unsigned dimensions = 0;
  const void* nest = nullptr;                // doacross of LLVM's ABI: the nest's loops
  const compiled_start* compiled = nullptr;  // a loop that doall's plugin compiled
};

// Whether a schedule that nobody's clause names may run the loop: not static loops, on whose shape
// the compiler relies, nor sections, which must be dealt one at a time.
bool is_steerable(const loop_clause& clause);

// How a loop of this shape with this clause is dealt in the task's region; `named`: the schedule
// that its source names, if any.
loop_dealing dealing_for(const task_state& me, const loop_clause& clause,
                         const schedules::loop_shape& shape, const schedules::spec& named = {});

// Whether the task's thread, as the one of its team, takes whole loops, without a schedule: nobody
// looks at how they are dealt, or says it but their source. (In a whole loop its chunks come whole,
// and in their order.)
bool takes_whole_loops(const task_state& me);
void take_whole(task_state& me, std::uint64_t iterations, const schedules::numbering& numbers);

// Enters the next loop of the region.
void begin_loop(task_state& me, const loop_clause& clause, const loop_source& source,
                const loop_wishes& wishes = {});

// Enters a loop that doall's plugin compiled, and gets its first range; false when there is none.
// Its clause is `steerable`, or `runtime`.
bool begin_compiled(task_state& me, const loop_clause& clause, const loop_source& source,
                    const compiled_start& says, std::uint64_t* first, std::uint64_t* last);

// The schedule that its source names; none: it names none.
schedules::spec named_by(const compiled_start& says);

// What the compiled code has said of the loop that the task's thread begins (doall_loop_costs),
// once; without a note: nothing.
inline compiled_start take_said(task_state& me) {
  if (me.loop.says.note == nullptr) [[likely]]
    return {};
  return std::exchange(me.loop.says, {});
}

// What it tells of its costs, to be used while the loop begins.
doall_costs costs_of(const compiled_start& says);

// Waits until the chunk in hand is the first incomplete one of an ordered loop.
void wait_for_turn(task_state& me);

// The thread leaves the loop, or the region, whose turn it may have.
void leave_turn(task_state& me);

// next_range() for loops that are ordered, counted or going by pieces.
bool next_range_slowly(task_state& me, std::uint64_t* first, std::uint64_t* last);

// Gets the next range of the loop that the task is in; false when nothing is left.
[[gnu::always_inline]] inline bool next_range(task_state& me, std::uint64_t* first,
                                              std::uint64_t* last) {
  team::loop_cursor& cursor = me.loop.cursor;
  if (!cursor.is_plain()) [[unlikely]]
    return next_range_slowly(me, first, last);
  return cursor.next_plain_range(first, last);
}

// Leaves the loop, with or without waiting for the others; the latter as team_barrier().
void end_loop_nowait(task_state& me);
bool end_loop(task_state& me);

// Leaves a loop of LLVM's ABI that was cancelled before its thread had asked for all chunks. Clang
// up to 18 does not announce that: the thread has left the loop when it comes to a barrier, to its
// next loop, or to the end of its part.
inline void leave_dispatched(task_state& me) {
  if (!me.loop.dispatched) return;
  me.loop.dispatched = false;
  end_loop_nowait(me);
}

// Ends the waits for loops and their turns of threads whose region has been cancelled.
void wake_loops(region& r);

// Leaves the loop at that place, whose cursor has been left.
void leave_loop(task_state& me, const loop_place& at);

// Forgets the loops that threads of a cancelled region have not left. Called by its leader when all
// have left the region.
void abandon_loops(region& r);

}  // namespace doall::omp
