// How ranges are cut. See detail/parts.h for what each means here.
#ifndef DOALL_COMPAT_PARTITIONER_H
#define DOALL_COMPAT_PARTITIONER_H

#include "cache_aligned_allocator.h"
#include "detail/loop.h"
#include "task_arena.h"

#include <type_traits>

namespace tbb {
inline namespace doall_v0 {

// As far as the grain size allows: each piece has between half of it and all of it.
class simple_partitioner {};

// As the runtime deals, in pieces of half a grain size at least. The default.
class auto_partitioner {};

// One piece for each thread.
class static_partitioner {};

// The same threads for the same parts as before, if load allows.
class affinity_partitioner {
 public:
  affinity_partitioner() = default;
  affinity_partitioner(const affinity_partitioner&) = delete;
  affinity_partitioner& operator=(const affinity_partitioner&) = delete;
};

namespace detail {

inline const doall_schedule* schedule_of(const simple_partitioner&) { return nullptr; }
inline const doall_schedule* schedule_of(const auto_partitioner&) { return nullptr; }
inline const doall_schedule* schedule_of(const static_partitioner&) { return static_blocks.get(); }
inline const doall_schedule* schedule_of(const affinity_partitioner&) {
  return own_queue_first.get();
}

enum class cutting { by_runtime, to_grain, in_proportion, one_a_thread };
template <class Partitioner>
inline constexpr cutting how_cut =
    std::is_same_v<Partitioner, simple_partitioner>   ? cutting::to_grain
    : std::is_same_v<Partitioner, auto_partitioner>   ? cutting::by_runtime
    : std::is_same_v<Partitioner, static_partitioner> ? cutting::one_a_thread
                                                      : cutting::in_proportion;

}  // namespace detail
}  // namespace doall_v0
}  // namespace tbb

#endif
