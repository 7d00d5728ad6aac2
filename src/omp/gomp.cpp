// GCC's door: translates the GOMP_* entry points for regions, worksharing and the like. Names,
// arguments and their meanings are those of GCC 12's compiler and of binaries back to GCC 4.
// loops.hpp and region.hpp do the work.
//
// Many entry points for loops differ only in the type of the iteration variable and the schedule:
// macros generate them, one line each.
//
// Length: one line or two for each of some hundred entry points.
#include <cstdarg>
#include <vector>

#include "omp/doacross.hpp"
#include "omp/loops.hpp"
#include "omp/ompt/hooks.hpp"
#include "omp/reductions.hpp"
#include "omp/region.hpp"

using namespace doall::omp;

namespace {

using ull = unsigned long long;
using region_function = void (*)(void*);

// The call's place in the program, which names the loop in reports. Only usable in the entry point
// itself.
#define HERE __builtin_return_address(0)

// The callers' long and unsigned long long are the 64 bits that next_range writes. The caller has
// begun the loop, so its task is known.
template <class T>
[[gnu::always_inline]] inline bool hand_next(T* first, T* last) {
  static_assert(sizeof(T) == sizeof(std::uint64_t));
  return next_range(*current_task, reinterpret_cast<std::uint64_t*>(first),
                    reinterpret_cast<std::uint64_t*>(last));
}

template <class T>
bool start(const loop_clause& clause, const loop_source& source, T* first, T* last,
           const loop_wishes& wishes = {}) {
  begin_loop(self(), clause, source, wishes);
  // Without a place for the range, only begin the construct: the compiler cuts a static loop
  // itself.
  return first == nullptr || hand_next(first, last);
}

// A chunk size as the caller gives it: one that is not positive counts as not given.
std::uint64_t chunk_of(long chunk) { return chunk > 0 ? static_cast<std::uint64_t>(chunk) : 0; }
std::uint64_t chunk_of(ull chunk) { return chunk; }

// The `sched` argument of GOMP_loop_start and its like.
template <class T>
loop_clause clause_of(long sched, T chunk, bool ordered) {
  constexpr long monotonic_bit = 0x80000000L;
  const loop_order plain =
      (sched & monotonic_bit) != 0 ? loop_order::monotonic : loop_order::unsaid;
  const loop_order order = ordered ? loop_order::ordered : plain;
  switch (sched & ~monotonic_bit) {
    case 0: return {loop_kind::runtime, 0, order == loop_order::unsaid ? loop_order::maybe : order};
    case 2: return {loop_kind::dynamic, chunk_of(chunk), order};
    case 3: return {loop_kind::guided, chunk_of(chunk), order};
    case 4:  // nonmonotonic:runtime
      return {loop_kind::runtime, 0, order == loop_order::unsaid ? loop_order::free : order};
    default: return {loop_kind::static_, chunk_of(chunk), order};
  }
}

// A loop that doall's plugin compiled. Of a static one nothing is asked but that.
template <class T, class Chunk>
bool start_compiled(long sched, Chunk chunk, const loop_source& source, const compiled_start& says,
                    T* first, T* last) {
  constexpr long monotonic_static = 0x80000001L;
  const loop_clause clause = sched == monotonic_static
                                 ? loop_clause{loop_kind::steerable, 0, loop_order::unsaid}
                                 : clause_of(sched, chunk, false);
  return begin_compiled(self(), clause, source, says, reinterpret_cast<std::uint64_t*>(first),
                        reinterpret_cast<std::uint64_t*>(last));
}

// Those behind the magic number. In the function that has them: only there the compiler knows that
// it need not save the registers in which arguments may come.
#define FURTHER_ARGUMENTS(from)                                                           \
  {va_arg(from, compiled_loop*), va_arg(from, const void*), va_arg(from, iteration_cost), \
   va_arg(from, std::uint64_t)}

// Reads a parallel construct's num_threads and `flags` arguments; the low bits of the flags are its
// proc_bind clause.
team_wish wish_of(unsigned num_threads, unsigned flags) {
  constexpr unsigned proc_bind_bits = 7;
  return {num_threads, binding{flags & proc_bind_bits}};
}

void run_region(region_function function, void* data, const team_wish& wish) {
  const region_run region(function, data, wish);
  function(data);
}

whole_region_loop whole(const loop_clause& clause, const loop_source& source,
                        unsigned num_threads) {
  const task_state& me = self();
  const doall::schedules::loop_shape shape{source.iterations, wanted_team_size(me, num_threads)};
  return {dealing_for(me, clause, shape), source.iterations, source.numbers};
}

void run_loop_region(region_function function, void* data, const team_wish& wish,
                     const loop_clause& clause, const loop_source& source) {
  const whole_region_loop loop = whole(clause, source, wish.num_threads);
  const region_run region(function, data, wish, &loop);
  function(data);
}

// Regions begun by a GOMP_*_start of the old kind, which returns inside them.
struct begun_region {
  region_run run;
  begun_region* outer;
};
thread_local begun_region* begun = nullptr;

void begin_region(region_function function, void* data, unsigned num_threads,
                  const whole_region_loop* loop = nullptr) {
  begun = new begun_region{{function, data, num_threads, loop}, begun};
}

void begin_loop_region(region_function function, void* data, unsigned num_threads,
                       const loop_clause& clause, const loop_source& source) {
  const whole_region_loop loop = whole(clause, source, num_threads);
  begin_region(function, data, num_threads, &loop);
}

// Sections are numbered from 1; they are a loop that deals one at a time.
constexpr loop_clause sections_clause{loop_kind::sections, 1, loop_order::monotonic};
loop_source count_sections(unsigned count, const void* code) {
  return count_long(1, static_cast<long>(count) + 1, 1, code);
}
unsigned next_section() {
  workshare& loop = current_task->loop;
  if (loop.alone) return static_cast<unsigned>(loop.next_alone());
  long section = 0;
  long end = 0;
  return hand_next(&section, &end) ? static_cast<unsigned>(section) : 0;
}

// A doacross loop hands out the outermost iterations; they count from 0.
template <class T>
bool start_doacross(loop_clause clause, unsigned dimensions, T* counts, T* first, T* last,
                    loop_wishes wishes, const void* code) {
  static_assert(sizeof(T) == sizeof(ull));
  if (clause.order != loop_order::ordered) clause.order = loop_order::monotonic;
  wishes.counts = reinterpret_cast<const ull*>(counts);
  wishes.dimensions = dimensions;
  return start(clause, count_ull(true, 0, static_cast<ull>(counts[0]), 1, code), first, last,
               wishes);
}

template <class T>
[[gnu::noinline, gnu::cold]] void tell_doacross(ompt_dependence_type_t kind, const T* at,
                                                unsigned dimensions) {
  ompt::watched_doacross(kind, std::vector<std::uint64_t>(at, at + dimensions));
}

// Whether the calling thread runs a doacross loop alone: what an iteration waits for has run before
// it.
bool is_doacross_alone() { return current_task->loop.alone; }

template <class T>
[[gnu::noinline]] void post_doacross(const T* counts) {
  loop_extra& extra = *current_task->loop.at.extra;
  if (ompt::is_watched()) [[unlikely]]
    tell_doacross(ompt_dependence_type_source, counts, extra.cross->dimensions);
  const auto inner_index = [&](unsigned d) { return static_cast<ull>(counts[d]); };
  extra.cross->post(static_cast<std::uint64_t>(counts[0]), extra.cross->inner_place(inner_index),
                    extra.turn);
}

// index(d) returns the sink's index in dimension d, and is called for 1 and so on, in order.
template <class T, class Index>
[[gnu::always_inline]] inline void wait_for_sink(const task_state& me, T first, Index index) {
  loop_extra& extra = *me.loop.at.extra;
  const auto outer = static_cast<std::uint64_t>(first);
  const std::uint64_t place = extra.cross->inner_place(index);
  if (extra.cross->has_posted(outer, place)) [[likely]]
    return;
  extra.cross->wait(outer, place, extra.turn, me.team->spin(),
                    [&] { return is_given_up(*me.team); });
}

// The same where a tool wants to know.
template <class T>
[[gnu::noinline, gnu::cold]] void wait_watched(const task_state& me, T first, va_list inner) {
  const unsigned dimensions = me.loop.at.extra->cross->dimensions;
  std::vector<T> all{first};
  while (all.size() < dimensions) all.push_back(va_arg(inner, T));
  wait_for_sink(me, first, [&](unsigned d) { return static_cast<ull>(all[d]); });
  tell_doacross(ompt_dependence_type_sink, all.data(), dimensions);
}

template <class T>
[[gnu::noinline]] void wait_doacross(const task_state& me, T first, va_list inner) {
  if (ompt::is_watched()) [[unlikely]]
    return wait_watched(me, first, inner);
  // Arguments come in order, and inner_place asks for them in order.
  wait_for_sink(me, first, [&](unsigned) { return static_cast<ull>(va_arg(inner, T)); });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// Parallel regions

void GOMP_parallel(region_function fn, void* data, unsigned num_threads, unsigned flags) {
  run_region(fn, data, wish_of(num_threads, flags));
}

void GOMP_parallel_start(region_function fn, void* data, unsigned num_threads) {
  begin_region(fn, data, num_threads);
}

void GOMP_parallel_end(void) {
  begun_region* ending = begun;
  begun = ending->outer;
  delete ending;
}

unsigned GOMP_parallel_reductions(region_function fn, void* data, unsigned num_threads,
                                  unsigned flags) {
  // The compiler passes the reductions as the first word of the data. There is memory for the
  // largest possible team: its real size is known only at the fork.
  auto* reductions = *static_cast<std::uintptr_t**>(data);
  register_reductions(reductions, nullptr, nullptr, wanted_team_size(self(), num_threads));
  const region_run region(fn, data, wish_of(num_threads, flags), nullptr, reductions);
  fn(data);
  return region.size();
}

// Parallel loops in one construct

#define PARALLEL_LOOP(name, kind, order)                                                       \
  void GOMP_parallel_loop_##name(region_function fn, void* data, unsigned threads, long begin, \
                                 long end, long step, long chunk, unsigned flags) {            \
    run_loop_region(fn, data, wish_of(threads, flags),                                         \
                    {loop_kind::kind, chunk_of(chunk), loop_order::order},                     \
                    count_long(begin, end, step, HERE));                                       \
  }
#define PARALLEL_RUNTIME_LOOP(name, order)                                                         \
  void GOMP_parallel_loop_##name(region_function fn, void* data, unsigned threads, long begin,     \
                                 long end, long step, unsigned flags) {                            \
    run_loop_region(fn, data, wish_of(threads, flags), {loop_kind::runtime, 0, loop_order::order}, \
                    count_long(begin, end, step, HERE));                                           \
  }
PARALLEL_LOOP(static, static_, monotonic)
PARALLEL_LOOP(dynamic, dynamic, monotonic)
PARALLEL_LOOP(guided, guided, monotonic)
PARALLEL_LOOP(nonmonotonic_dynamic, dynamic, unsaid)
PARALLEL_LOOP(nonmonotonic_guided, guided, unsaid)
PARALLEL_RUNTIME_LOOP(runtime, monotonic)
PARALLEL_RUNTIME_LOOP(nonmonotonic_runtime, free)
PARALLEL_RUNTIME_LOOP(maybe_nonmonotonic_runtime, maybe)

#define PARALLEL_LOOP_START(name, kind)                                                    \
  void GOMP_parallel_loop_##name##_start(region_function fn, void* data, unsigned threads, \
                                         long begin, long end, long step, long chunk) {    \
    begin_loop_region(fn, data, threads,                                                   \
                      {loop_kind::kind, chunk_of(chunk), loop_order::monotonic},           \
                      count_long(begin, end, step, HERE));                                 \
  }
PARALLEL_LOOP_START(static, static_)
PARALLEL_LOOP_START(dynamic, dynamic)
PARALLEL_LOOP_START(guided, guided)

void GOMP_parallel_loop_runtime_start(region_function fn, void* data, unsigned threads, long begin,
                                      long end, long step) {
  begin_loop_region(fn, data, threads, {loop_kind::runtime, 0, loop_order::monotonic},
                    count_long(begin, end, step, HERE));
}

void GOMP_parallel_sections(region_function fn, void* data, unsigned threads, unsigned count,
                            unsigned flags) {
  ompt::next_region_is_sections();
  run_loop_region(fn, data, wish_of(threads, flags), sections_clause, count_sections(count, HERE));
}

void GOMP_parallel_sections_start(region_function fn, void* data, unsigned threads,
                                  unsigned count) {
  ompt::next_region_is_sections();
  begin_loop_region(fn, data, threads, sections_clause, count_sections(count, HERE));
}

// Loops inside a region, over long and over unsigned long long

#define LOOP(name, kind, order)                                                                   \
  bool GOMP_loop_##name##_start(long begin, long end, long step, long chunk, long* first,         \
                                long* last) {                                                     \
    return start({loop_kind::kind, chunk_of(chunk), loop_order::order},                           \
                 count_long(begin, end, step, HERE), first, last);                                \
  }                                                                                               \
  bool GOMP_loop_##name##_next(long* first, long* last) { return hand_next(first, last); }        \
  bool GOMP_loop_ull_##name##_start(bool up, ull begin, ull end, ull step, ull chunk, ull* first, \
                                    ull* last) {                                                  \
    return start({loop_kind::kind, chunk_of(chunk), loop_order::order},                           \
                 count_ull(up, begin, end, step, HERE), first, last);                             \
  }                                                                                               \
  bool GOMP_loop_ull_##name##_next(ull* first, ull* last) { return hand_next(first, last); }
#define RUNTIME_LOOP(name, order)                                                                \
  bool GOMP_loop_##name##_start(long begin, long end, long step, long* first, long* last) {      \
    return start({loop_kind::runtime, 0, loop_order::order}, count_long(begin, end, step, HERE), \
                 first, last);                                                                   \
  }                                                                                              \
  bool GOMP_loop_##name##_next(long* first, long* last) { return hand_next(first, last); }       \
  bool GOMP_loop_ull_##name##_start(bool up, ull begin, ull end, ull step, ull* first,           \
                                    ull* last) {                                                 \
    return start({loop_kind::runtime, 0, loop_order::order},                                     \
                 count_ull(up, begin, end, step, HERE), first, last);                            \
  }                                                                                              \
  bool GOMP_loop_ull_##name##_next(ull* first, ull* last) { return hand_next(first, last); }
LOOP(static, static_, monotonic)
LOOP(dynamic, dynamic, monotonic)
LOOP(guided, guided, monotonic)
LOOP(nonmonotonic_dynamic, dynamic, unsaid)
LOOP(nonmonotonic_guided, guided, unsaid)
LOOP(ordered_static, static_, ordered)
LOOP(ordered_dynamic, dynamic, ordered)
LOOP(ordered_guided, guided, ordered)
RUNTIME_LOOP(runtime, monotonic)
RUNTIME_LOOP(nonmonotonic_runtime, free)
RUNTIME_LOOP(maybe_nonmonotonic_runtime, maybe)
RUNTIME_LOOP(ordered_runtime, ordered)

#define GENERAL_LOOP(name, ordered)                                                              \
  bool GOMP_loop_##name(long begin, long end, long step, long sched, long chunk, long* first,    \
                        long* last, std::uintptr_t* reductions, void** scratch) {                \
    return start(clause_of(sched, chunk, ordered), count_long(begin, end, step, HERE), first,    \
                 last, {reductions, scratch, nullptr, 0});                                       \
  }                                                                                              \
  bool GOMP_loop_ull_##name(bool up, ull begin, ull end, ull step, long sched, ull chunk,        \
                            ull* first, ull* last, std::uintptr_t* reductions, void** scratch) { \
    return start(clause_of(sched, chunk, ordered), count_ull(up, begin, end, step, HERE), first, \
                 last, {reductions, scratch, nullptr, 0});                                       \
  }
GENERAL_LOOP(ordered_start, true)

// What a caller passes beyond `scratch` is doall's plugin's, and only there (compiled_loop.hpp). A
// caller that passes nothing has its own variables where further parameters would be, and a
// function may write to where its parameters are: to keep a value there, or the arguments of its
// last call. So these have none. What va_arg reads belongs to the caller, in the ABIs of Linux that
// pass such arguments as they do named ones.
bool GOMP_loop_start(long begin, long end, long step, long sched, long chunk, long* first,
                     long* last, std::uintptr_t* reductions, void** scratch, ...) {
  const loop_source source = count_long(begin, end, step, HERE);
  compiled_start says;
  std::va_list more;
  va_start(more, scratch);
  const bool compiled = va_arg(more, std::uint64_t) == compiled_magic;
  if (compiled) says = FURTHER_ARGUMENTS(more);
  va_end(more);
  if (compiled) return start_compiled(sched, chunk, source, says, first, last);
  return start(clause_of(sched, chunk, false), source, first, last,
               {reductions, scratch, nullptr, 0});
}
bool GOMP_loop_ull_start(bool up, ull begin, ull end, ull step, long sched, ull chunk, ull* first,
                         ull* last, std::uintptr_t* reductions, void** scratch, ...) {
  const loop_source source = count_ull(up, begin, end, step, HERE);
  compiled_start says;
  std::va_list more;
  va_start(more, scratch);
  const bool compiled = va_arg(more, std::uint64_t) == compiled_magic;
  if (compiled) says = FURTHER_ARGUMENTS(more);
  va_end(more);
  if (compiled) return start_compiled(sched, chunk, source, says, first, last);
  return start(clause_of(sched, chunk, false), source, first, last,
               {reductions, scratch, nullptr, 0});
}

// What an entry in a program's object calls (src/plugin/entries.cpp), which looks first whether it
// is there. `place` is the entry's caller.
bool doall_loop_start(std::uint64_t begin, std::uint64_t end, std::uint64_t step,
                      std::uint64_t* first, std::uint64_t* last, compiled_loop* note,
                      const void* context, iteration_cost cost, const void* place) {
  const compiled_start says{note, context, cost, note->facts};
  const auto in_long = [](std::uint64_t value) { return static_cast<long>(value); };
  const loop_source source = says.counts_in_ull()
                                 ? count_ull(!says.counts_down(), begin, end, step, place)
                                 : count_long(in_long(begin), in_long(end), in_long(step), place);
  return begin_compiled(self(), {loop_kind::steerable, 0, loop_order::unsaid}, source, says, first,
                        last);
}

void GOMP_loop_end(void) { end_loop(self()); }
void GOMP_loop_end_nowait(void) { end_loop_nowait(self()); }
bool GOMP_loop_end_cancel(void) { return end_loop(self()); }

// Ordered regions, and loops with dependences between iterations

void GOMP_ordered_start(void) { ompt::ordered_begins(); }
void GOMP_ordered_end(void) {
  ompt::ordered_ends();
}  // the turn is passed on when the chunk is complete

#define DOACROSS(name, kind)                                                                     \
  bool GOMP_loop_doacross_##name##_start(unsigned dimensions, long* counts, long chunk,          \
                                         long* first, long* last) {                              \
    return start_doacross({loop_kind::kind, chunk_of(chunk), loop_order::monotonic}, dimensions, \
                          counts, first, last, {}, HERE);                                        \
  }                                                                                              \
  bool GOMP_loop_ull_doacross_##name##_start(unsigned dimensions, ull* counts, ull chunk,        \
                                             ull* first, ull* last) {                            \
    return start_doacross({loop_kind::kind, chunk_of(chunk), loop_order::monotonic}, dimensions, \
                          counts, first, last, {}, HERE);                                        \
  }
DOACROSS(static, static_)
DOACROSS(dynamic, dynamic)
DOACROSS(guided, guided)

bool GOMP_loop_doacross_runtime_start(unsigned dimensions, long* counts, long* first, long* last) {
  return start_doacross({loop_kind::runtime, 0, loop_order::monotonic}, dimensions, counts, first,
                        last, {}, HERE);
}
bool GOMP_loop_ull_doacross_runtime_start(unsigned dimensions, ull* counts, ull* first, ull* last) {
  return start_doacross({loop_kind::runtime, 0, loop_order::monotonic}, dimensions, counts, first,
                        last, {}, HERE);
}

bool GOMP_loop_doacross_start(unsigned dimensions, long* counts, long sched, long chunk,
                              long* first, long* last, std::uintptr_t* reductions, void** scratch) {
  return start_doacross(clause_of(sched, chunk, false), dimensions, counts, first, last,
                        {reductions, scratch, nullptr, 0}, HERE);
}
bool GOMP_loop_ull_doacross_start(unsigned dimensions, ull* counts, long sched, ull chunk,
                                  ull* first, ull* last, std::uintptr_t* reductions,
                                  void** scratch) {
  return start_doacross(clause_of(sched, chunk, false), dimensions, counts, first, last,
                        {reductions, scratch, nullptr, 0}, HERE);
}

void GOMP_doacross_post(long* counts) {
  if (!is_doacross_alone()) post_doacross(counts);
}
void GOMP_doacross_ull_post(ull* counts) {
  if (!is_doacross_alone()) post_doacross(counts);
}

void GOMP_doacross_wait(long first, ...) {
  if (is_doacross_alone()) return;
  va_list inner;
  va_start(inner, first);
  wait_doacross(*current_task, first, inner);
  va_end(inner);
}
void GOMP_doacross_ull_wait(ull first, ...) {
  if (is_doacross_alone()) return;
  va_list inner;
  va_start(inner, first);
  wait_doacross(*current_task, first, inner);
  va_end(inner);
}

// Sections, scope, single, barrier

unsigned GOMP_sections_start(unsigned count) {
  begin_loop(self(), sections_clause, count_sections(count, HERE));
  return next_section();
}
unsigned GOMP_sections2_start(unsigned count, std::uintptr_t* reductions, void** scratch) {
  begin_loop(self(), sections_clause, count_sections(count, HERE),
             {reductions, scratch, nullptr, 0});
  return next_section();
}
unsigned GOMP_sections_next(void) { return next_section(); }
void GOMP_sections_end(void) { end_loop(self()); }
void GOMP_sections_end_nowait(void) { end_loop_nowait(self()); }
bool GOMP_sections_end_cancel(void) { return end_loop(self()); }

// A scope has no iterations: it only shares the reductions of the first thread to come.
void GOMP_scope_start(std::uintptr_t* reductions) {
  begin_loop(self(), sections_clause, count_sections(0, HERE), {reductions, nullptr, nullptr, 0});
  end_loop_nowait(self());
}

bool GOMP_single_start(void) { return ompt::single(); }
void* GOMP_single_copy_start(void) {
  if (ompt::single()) return nullptr;
  task_state& me = self();
  // Until the winner has passed its data to GOMP_single_copy_end().
  ompt::meet_all(ompt_sync_region_barrier_implementation);
  me.meets_all = true;
  // Null if the winner is not there any more: then this thread executes the construct.
  return handed_round(me);
}
void GOMP_single_copy_end(void* data) {
  task_state& me = self();
  hand_round(me, data);
  ompt::meet_all(ompt_sync_region_barrier_implementation);
  me.meets_all = true;  // until all have copied
}

void GOMP_barrier(void) { ompt::barrier(ompt_sync_region_barrier_explicit); }
bool GOMP_barrier_cancel(void) { return ompt::barrier(ompt_sync_region_barrier_explicit); }

}  // extern "C"
#pragma GCC visibility pop
