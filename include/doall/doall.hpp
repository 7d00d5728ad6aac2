// doall: parallel loops for C++20.
//
//   #include <doall/doall.hpp>
//
//   doall::parallel_for(0, n, [&](int i) { y[i] = a * x[i] + y[i]; });
//   double dot = doall::parallel_reduce(0, n, 0.0, [&](int i) { return x[i] * y[i]; },
//                                       std::plus<>{});
//
// Link with -ldoall. The process has one thread pool, shared with OpenMP code that runs on doall.
// Loops may be nested, to any depth, and started while another thread's loop has the workers: idle
// workers steal from them.
//
//   parallel_for       over indices, or ranges of them; with a step
//   space              two and more dimensions, in tiles: parallel_for(space(rows, columns), body)
//   parallel_for_each  over a container or any other range
//   parallel_reduce    one result, with the same bits for any threads and schedule; over indices or
//                      a range
//   parallel_scan      running sums, in place or not; parallel_exclusive_scan
//   parallel_sort      in place; parallel_stable_sort, parallel_sort_by_key
//   parallel_find      the first element that fits; parallel_pack: all that do
//   parallel_invoke    a few calls at once, for recursion
//   task_group         tasks that are given one by one
//   for_each_domain    nested loops, each on the workers of one NUMA domain
//   loop_options       schedule, stop token, costs: the last argument of each
//   cost, weights      what iterations cost, to balance uneven loops by; cost_table
//   schedule           how iterations are dealt to the workers
//   threads            how many workers loops have; thread_scope: sets it
//   per_worker         a value for each thread; worker_index
//
// C programs include <doall/doall.h>.
#pragma once

#include <doall/detail/language.hpp>

#include <doall/costs.hpp>
#include <doall/domains.hpp>
#include <doall/find.hpp>
#include <doall/for.hpp>
#include <doall/for_each.hpp>
#include <doall/options.hpp>
#include <doall/per_worker.hpp>
#include <doall/range.hpp>
#include <doall/reduce.hpp>
#include <doall/reduce_range.hpp>
#include <doall/scan.hpp>
#include <doall/schedule.hpp>
#include <doall/sort.hpp>
#include <doall/space.hpp>
#include <doall/stable_sort.hpp>
#include <doall/tasks.hpp>
#include <doall/threads.hpp>
