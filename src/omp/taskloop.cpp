// taskloop: runs a loop's iterations as tasks, one after the other (tasks.hpp). Their number and
// sizes are as the clauses promise.
#include <algorithm>

#include "omp/loops.hpp"
#include "omp/reductions.hpp"
#include "omp/tasks.hpp"

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

template <class T>
void run_taskloop(task_function function, taskloop_data<T>* data, task_copy_function copy,
                  long bytes, long alignment, unsigned flags, unsigned long amount,
                  const loop_source& source) {
  task_state& me = self();
  const bool grouped = (flags & task_nogroup) == 0;
  const bool reduces = grouped && (flags & task_reduction) != 0;
  if (source.iterations == 0) {
    // Tell the compiler's code that no copies were made.
    if (reduces) data->reductions[2] = 0;
    return;
  }
  if (grouped) begin_group(me);
  if (reduces) GOMP_taskgroup_reduction_register(data->reductions);

  const cut cuts = cut_iterations(source.iterations, amount, flags, me.team->size);
  task_data copied(bytes, alignment);
  std::uint64_t begin = 0;
  for (std::uint64_t t = 0; t < cuts.tasks; ++t) {
    const std::uint64_t size = cuts.size + (t < cuts.larger ? 1 : 0);
    const std::uint64_t end = base::add_up_to(begin, size, source.iterations);
    const explicit_task task(me, flags);
    auto* mine = static_cast<taskloop_data<T>*>(copied.copy(data, copy));
    mine->first = static_cast<T>(source.numbers.first + begin * source.numbers.increment);
    // The last task ends at the source's own bound: one step beyond the last iteration need not fit
    // in the type.
    mine->last = end == source.iterations
                     ? static_cast<T>(source.numbers.last)
                     : static_cast<T>(source.numbers.first + end * source.numbers.increment);
    function(mine);
    begin = end;
  }
  if (grouped) end_group(me);
}

}  // namespace
}  // namespace doall::omp

using namespace doall::omp;

extern "C" {

void GOMP_taskloop(task_function function, void* data, task_copy_function copy, long bytes,
                   long alignment, unsigned flags, unsigned long amount, int /*priority*/,
                   long start, long end, long step) {
  run_taskloop(function, static_cast<taskloop_data<long>*>(data), copy, bytes, alignment, flags,
               amount, count_long(start, end, step, nullptr));
}

void GOMP_taskloop_ull(task_function function, void* data, task_copy_function copy, long bytes,
                       long alignment, unsigned flags, unsigned long amount, int /*priority*/,
                       unsigned long long start, unsigned long long end, unsigned long long step) {
  run_taskloop(function, static_cast<taskloop_data<unsigned long long>*>(data), copy, bytes,
               alignment, flags, amount,
               count_ull((flags & task_up) != 0, start, end, step, nullptr));
}

}  // extern "C"
