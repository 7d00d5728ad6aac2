// taskloop: cuts a loop's iterations into tasks. Their number and sizes are as the clauses promise.
//
// The tasks are made lazily (submit_pieces()): from a copy of the compiler's data, or, where that
// has a function to copy it, from the original as long as the taskloop is waited for. With nogroup
// such tasks are made at once, by the encountering thread.
// What was tried, and loops of few chunks:
// docs/investigations/2026-11-25-openmp-lines-that-lose.md.
#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "omp/gomp_tasks.hpp"
#include "omp/loops.hpp"
#include "omp/ompt/hooks.hpp"
#include "omp/reductions.hpp"
#include "tasks/task_run.hpp"

extern "C" {
void GOMP_taskgroup_reduction_register(std::uintptr_t* data);
}

namespace doall::omp {
namespace {

// How n iterations are cut: `larger` tasks of `size` + 1 iterations, then tasks of `size`; the last
// has what is left.
struct cut {
  std::uint64_t tasks;
  std::uint64_t size;
  std::uint64_t larger;
};

// `amount` is the clause's: iterations for each task with grainsize, else tasks; 0 without a
// clause. A grain size g that is not strict means from g to 2g - 1 iterations.
cut cut_iterations(std::uint64_t n, std::uint64_t amount, unsigned flags, std::uint64_t workers) {
  if ((flags & task_grainsize) != 0 && (flags & task_strict) != 0) {
    return {base::ceil_div(n, amount), amount, 0};
  }
  const std::uint64_t wanted = (flags & task_grainsize) != 0 ? n / amount
                               : amount != 0                 ? amount
                                                             : workers;
  const std::uint64_t tasks = std::clamp<std::uint64_t>(wanted, 1, n);
  return {tasks, n / tasks, n % tasks};
}

// The begin of the compiler's data for a taskloop.
template <class T>
struct taskloop_data {
  T first;
  T last;
  std::uintptr_t* reductions;
};

// How the tasks of a loop are made from the compiler's data.
template <class T>
struct taskloop {
  cut cuts;
  loop_source source;
  std::size_t bytes;
  task_function function;

  // Sets the bounds of task number `piece`.
  void set_bounds(std::uint64_t piece, void* payload) const {
    auto* const mine = static_cast<taskloop_data<T>*>(payload);
    const std::uint64_t begin = piece * cuts.size + std::min(piece, cuts.larger);
    const std::uint64_t size = cuts.size + (piece < cuts.larger ? 1 : 0);
    const std::uint64_t end = base::add_up_to(begin, size, source.iterations);
    mine->first = static_cast<T>(source.numbers.first + begin * source.numbers.increment);
    // The last task ends at the source's own bound: one step beyond the last iteration need not fit
    // in the type.
    mine->last = end == source.iterations
                     ? static_cast<T>(source.numbers.last)
                     : static_cast<T>(source.numbers.first + end * source.numbers.increment);
  }
};

// What the pieces are made of: the description, and behind it the compiler's data.
template <class T>
void run_piece(const void* of, std::uint64_t piece, void* payload) {
  const auto* const all = static_cast<const taskloop<T>*>(of);
  copy_payload(payload, all + 1, all->bytes);
  all->set_bounds(piece, payload);
  all->function(payload);
}

// Of data that the compiler has a function to copy (objects, structures, arrays): each piece is
// made from the original, which stays while the taskloop's group is waited for. Any thread may make
// one. Objects that could not be copied by several threads could not be destroyed by them either,
// at the end of their tasks.
//
// The task with the last iteration writes what is lastprivate to the original. So it is not one of
// the pieces but a task of its own, handed over when all others have been copied. It makes its copy
// as it begins: until then it can be discarded.
template <class T>
struct copied_taskloop {
  taskloop<T> all;
  task_copy_function copy;
  void* data;
  std::size_t copy_at;  // in the last task's payload, behind a pointer to this
  task* last;
  sync::atomic<std::uint64_t>* uncopied;  // pieces

  static void run_piece(const void* of, std::uint64_t piece, void* payload) {
    const auto& its = *static_cast<const copied_taskloop*>(of);
    task_state& me = self();
    const bool runs = !is_discarded(me);
    if (runs) its.copy(payload, its.data);
    base::tsan_gives(its.uncopied);
    // (1) acq_rel; pairs with (1): all others have read the original
    if (its.uncopied->fetch_sub(1, sync::acq_rel) == 1) {
      base::tsan_takes(its.uncopied);
      hand_over_expected(me, its.last);
    }
    if (!runs) return;
    its.all.set_bounds(piece, payload);
    its.all.function(payload);
  }

  static void run_last(void* payload) {
    const auto& its = **static_cast<const copied_taskloop**>(payload);
    void* const mine = static_cast<std::byte*>(payload) + its.copy_at;
    its.copy(mine, its.data);
    its.all.set_bounds(its.all.cuts.tasks - 1, mine);
    its.all.function(mine);
  }
};

template <class T>
void run_taskloop(task_function function, taskloop_data<T>* data, task_copy_function copy,
                  long long_bytes, long long_alignment, unsigned flags, unsigned long amount,
                  int priority, const loop_source& source) {
  task_state& me = self();
  const bool grouped = (flags & task_nogroup) == 0;
  const bool reduces = grouped && (flags & task_reduction) != 0;
  if (source.iterations == 0) {
    // Tell the compiler's code that no copies were made.
    if (reduces) data->reductions[2] = 0;
    return;
  }
  ompt::work_begins(ompt_work_taskloop, source.iterations);
  if (grouped) ompt::group_begins(me);
  if (reduces) GOMP_taskgroup_reduction_register(data->reductions);

  const auto bytes = static_cast<std::size_t>(long_bytes);
  const auto alignment = static_cast<std::size_t>(std::max(long_alignment, 1L));
  const taskloop<T> all{cut_iterations(source.iterations, amount, flags, me.team->size), source,
                        bytes, function};
  const task_options how{.deferrable = (flags & task_if) != 0,
                         .is_final = (flags & task_final) != 0,
                         .must_run = copy != nullptr,
                         .priority = (flags & task_priority) != 0 ? priority : 0};
  const bool undeferred = !how.deferrable || is_included(me);
  const bool lazily = !undeferred && counted_priority(how.priority) == 0 && all.cuts.tasks > 1 &&
                      !ompt::is_watched();  // a tool is told of each task when it is made
  task_pieces pieces{.bytes = bytes,
                     .alignment = alignment,
                     .pieces = all.cuts.tasks,
                     .code = reinterpret_cast<const void*>(function)};
  // Until the group has ended.
  sync::atomic<std::uint64_t> uncopied{all.cuts.tasks - 1};
  std::optional<copied_taskloop<T>> copied;
  if (lazily && copy == nullptr) {
    std::vector<std::byte> of(sizeof all + bytes);
    std::memcpy(of.data(), &all, sizeof all);
    std::memcpy(of.data() + sizeof all, data, bytes);
    pieces.run = run_piece<T>;
    pieces.of = of.data();
    pieces.of_bytes = of.size();
    submit_pieces(me, pieces, how);
  } else if (lazily && grouped && !is_discarded(me)) {
    task_options until_it_begins = how;
    until_it_begins.must_run = false;
    const std::size_t copy_at = std::max(alignment, sizeof(void*));
    task* const last = make_task(me, copied_taskloop<T>::run_last, copy_at + bytes,
                                 std::max(alignment, alignof(void*)), until_it_begins);
    copied.emplace(copied_taskloop<T>{all, copy, data, copy_at, last, &uncopied});
    *static_cast<const copied_taskloop<T>**>(payload_of(last)) = &*copied;
    expect_task(me, last);
    --pieces.pieces;
    pieces.run = copied_taskloop<T>::run_piece;
    pieces.of = &*copied;
    pieces.of_bytes = sizeof *copied;
    submit_pieces(me, pieces, how);
  } else {
    for (std::uint64_t piece = 0; piece < all.cuts.tasks; ++piece) {
      if (how.must_run && is_discarded(me)) break;
      task* const t = make_task(me, function, bytes, alignment, how);
      fill_payload(t, data, copy, long_bytes);
      all.set_bounds(piece, payload_of(t));
      if (!undeferred) {
        submit_task(me, t);
        continue;
      }
      run_undeferred(me, t);
    }
  }
  if (grouped) ompt::group_ends(me);
  ompt::work_ends(ompt_work_taskloop);
}

}  // namespace
}  // namespace doall::omp

using namespace doall::omp;

extern "C" {

void GOMP_taskloop(task_function function, void* data, task_copy_function copy, long bytes,
                   long alignment, unsigned flags, unsigned long amount, int priority, long start,
                   long end, long step) {
  run_taskloop(function, static_cast<taskloop_data<long>*>(data), copy, bytes, alignment, flags,
               amount, priority, count_long(start, end, step, nullptr));
}

void GOMP_taskloop_ull(task_function function, void* data, task_copy_function copy, long bytes,
                       long alignment, unsigned flags, unsigned long amount, int priority,
                       unsigned long long start, unsigned long long end, unsigned long long step) {
  run_taskloop(function, static_cast<taskloop_data<unsigned long long>*>(data), copy, bytes,
               alignment, flags, amount, priority,
               count_ull((flags & task_up) != 0, start, end, step, nullptr));
}

}  // extern "C"
