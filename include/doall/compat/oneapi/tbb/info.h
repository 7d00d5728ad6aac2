// info: what the machine gives this process.
#ifndef DOALL_COMPAT_INFO_H
#define DOALL_COMPAT_INFO_H

#include "detail/arena.h"

#include <vector>

namespace tbb {
inline namespace doall_v0 {

using numa_node_id = int;
using core_type_id = int;

// Of these only max_concurrency has an effect.
struct constraints {
  static constexpr int automatic = -1;

  constraints(numa_node_id node = automatic, int most = automatic)
      : numa_id(node), max_concurrency(most) {}
  constraints& set_numa_id(numa_node_id id) { return numa_id = id, *this; }
  constraints& set_max_concurrency(int most) { return max_concurrency = most, *this; }
  constraints& set_core_type(core_type_id id) { return core_type = id, *this; }
  constraints& set_max_threads_per_core(int most) { return max_threads_per_core = most, *this; }

  numa_node_id numa_id;
  int max_concurrency;
  core_type_id core_type = automatic;
  int max_threads_per_core = automatic;
};

namespace info {

// As many threads as algorithms have that are started outside of all others.
inline int default_concurrency() {
  const std::uint32_t before = doall_set_threads(0);
  const std::uint32_t threads = doall_threads();
  doall_set_threads(before);
  return static_cast<int>(threads);
}
inline int default_concurrency(const constraints& asked) {
  return asked.max_concurrency > 0 ? asked.max_concurrency : default_concurrency();
}
inline int default_concurrency(numa_node_id) { return default_concurrency(); }

// One of each: which it is, is not known here.
inline std::vector<numa_node_id> numa_nodes() { return {constraints::automatic}; }
inline std::vector<core_type_id> core_types() { return {constraints::automatic}; }

}  // namespace info
}  // namespace doall_v0
}  // namespace tbb

#endif
