// parallel_for: over a range, or over indices.
#ifndef DOALL_COMPAT_PARALLEL_FOR_H
#define DOALL_COMPAT_PARALLEL_FOR_H

#include "detail/context.h"
#include "detail/parts.h"

#include <functional>
#include <stdexcept>
#include <type_traits>

namespace tbb {
inline namespace doall_v0 {
namespace detail {

template <class Range, class Body, class Partitioner>
void for_range(const Range& whole, const Body& body, const Partitioner& by,
               task_group_context& context) {
  const parts_for<Range, Partitioner> all(whole);
  run_loop(all.count(), all.indices(), schedule_of(by), context,
           [&](std::uint64_t begin, std::uint64_t end) {
             const Body own(body);  // as oneTBB copies it for each task
             all.each(begin, end, context, [&](Range& part) { std::invoke(own, part); });
           });
}

template <class Index, class Function, class Partitioner>
void for_indices(Index first, Index last, Index step, const Function& function,
                 const Partitioner& by, task_group_context& context) {
  if (!(Index(0) < step)) throw std::invalid_argument("Step must be positive");
  if (!(first < last)) return;
  const auto distance = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  const auto stride = static_cast<std::uint64_t>(step);
  const std::uint64_t iterations = (distance - 1) / stride + 1;
  const std::uint64_t at_once =
      how_cut<Partitioner> == cutting::to_grain ? 1 : run_at_once(iterations);
  run_loop(iterations, iterations, schedule_of(by), context,
           [&](std::uint64_t begin, std::uint64_t end) {
             for (std::uint64_t to; begin < end; begin = to) {
               if (context.is_group_execution_cancelled()) return;
               to = end - begin <= at_once ? end : begin + at_once;
               auto i = static_cast<Index>(static_cast<std::uint64_t>(first) + begin * stride);
               if (stride == 1) {
                 const auto stop = static_cast<Index>(static_cast<std::uint64_t>(first) + to);
                 for (; i < stop; ++i) std::invoke(function, Index(i));
               } else {
                 for (std::uint64_t left = to - begin; left > 1; --left, i = Index(i + step))
                   std::invoke(function, Index(i));
                 std::invoke(function, Index(i));  // the last one's successor may overflow
               }
             }
           });
}

// Numbers are counted in 64 bits; other types of indices are not.
template <class Index>
using enable_index = std::enable_if_t<std::is_integral_v<Index> && sizeof(Index) <= 8>;

}  // namespace detail

template <class Range, class Body>
void parallel_for(const Range& range, const Body& body) {
  task_group_context context;
  detail::for_range(range, body, auto_partitioner(), context);
}
template <class Range, class Body>
void parallel_for(const Range& range, const Body& body, task_group_context& context) {
  detail::for_range(range, body, auto_partitioner(), context);
}

#define DOALL_COMPAT_WITH(CONST, PARTITIONER)                                                      \
  template <class Range, class Body>                                                               \
  void parallel_for(const Range& range, const Body& body, CONST PARTITIONER& by) {                 \
    task_group_context context;                                                                    \
    detail::for_range(range, body, by, context);                                                   \
  }                                                                                                \
  template <class Range, class Body>                                                               \
  void parallel_for(const Range& range, const Body& body, CONST PARTITIONER& by,                   \
                    task_group_context& context) {                                                 \
    detail::for_range(range, body, by, context);                                                   \
  }                                                                                                \
  template <class Index, class Function, class = detail::enable_index<Index>>                      \
  void parallel_for(Index first, Index last, const Function& f, CONST PARTITIONER& by) {           \
    task_group_context context;                                                                    \
    detail::for_indices(first, last, Index(1), f, by, context);                                    \
  }                                                                                                \
  template <class Index, class Function, class = detail::enable_index<Index>>                      \
  void parallel_for(Index first, Index last, const Function& f, CONST PARTITIONER& by,             \
                    task_group_context& context) {                                                 \
    detail::for_indices(first, last, Index(1), f, by, context);                                    \
  }                                                                                                \
  template <class Index, class Function, class = detail::enable_index<Index>>                      \
  void parallel_for(Index first, Index last, Index step, const Function& f,                        \
                    CONST PARTITIONER& by) {                                                       \
    task_group_context context;                                                                    \
    detail::for_indices(first, last, step, f, by, context);                                        \
  }                                                                                                \
  template <class Index, class Function, class = detail::enable_index<Index>>                      \
  void parallel_for(Index first, Index last, Index step, const Function& f, CONST PARTITIONER& by, \
                    task_group_context& context) {                                                 \
    detail::for_indices(first, last, step, f, by, context);                                        \
  }

DOALL_COMPAT_WITH(const, simple_partitioner)
DOALL_COMPAT_WITH(const, auto_partitioner)
DOALL_COMPAT_WITH(const, static_partitioner)
DOALL_COMPAT_WITH(, affinity_partitioner)
#undef DOALL_COMPAT_WITH

template <class Index, class Function, class = detail::enable_index<Index>>
void parallel_for(Index first, Index last, const Function& f) {
  task_group_context context;
  detail::for_indices(first, last, Index(1), f, auto_partitioner(), context);
}
template <class Index, class Function, class = detail::enable_index<Index>>
void parallel_for(Index first, Index last, const Function& f, task_group_context& context) {
  detail::for_indices(first, last, Index(1), f, auto_partitioner(), context);
}
template <class Index, class Function, class = detail::enable_index<Index>>
void parallel_for(Index first, Index last, Index step, const Function& f) {
  task_group_context context;
  detail::for_indices(first, last, step, f, auto_partitioner(), context);
}
template <class Index, class Function, class = detail::enable_index<Index>>
void parallel_for(Index first, Index last, Index step, const Function& f,
                  task_group_context& context) {
  detail::for_indices(first, last, step, f, auto_partitioner(), context);
}

}  // namespace doall_v0
}  // namespace tbb

#endif
