// hwloc's tree of a machine, in the form that the rest of this room uses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topology/hwloc_functions.hpp"
#include "topology/places.hpp"

namespace doall::topology {

// Cores of one kind, on a machine that has several.
struct core_kind {
  place cpus;
  int efficiency = -1;  // 0: the least performance; -1: unknown
  std::string type{};   // such as "IntelAtom"; empty: unknown
};

class hwloc_tree {
 public:
  // Loaded once, at the first call.
  static const hwloc_tree& of_this_machine();

  // A machine described in hwloc's synthetic language, such as "package:2 core:2 pu:2".
  explicit hwloc_tree(const char* synthetic, const std::vector<core_kind>& kinds = {});

  ~hwloc_tree();
  hwloc_tree(const hwloc_tree&) = delete;
  hwloc_tree& operator=(const hwloc_tree&) = delete;

  // Objects of a type in logical order: neighbours in the tree of packages, NUMA domains and caches
  // follow each other. None if loading failed.
  std::vector<hwloc_obj_t> all(hwloc_obj_type_t type) const;

  // The cache that is nearest to memory; nothing if none is known.
  std::optional<hwloc_obj_type_t> last_level_cache() const;

  // By efficiency; none if all cores are alike, or hwloc does not tell.
  std::vector<core_kind> core_kinds() const;

 private:
  hwloc_tree();
  bool begin();
  void load();
  void add(const core_kind& kind);

  const hwloc_functions* hwloc_ = hwloc_here();
  hwloc_topology_t handle_ = nullptr;  // null if loading failed
};

// The CPUs of a set, or of an object, in increasing order.
place cpus_of(hwloc_const_bitmap_t set);
inline place cpus_of(const hwloc_obj* object) { return cpus_of(object->cpuset); }

// Adds an object's CPUs, unless there are none, or another one's are the same: two kinds of memory
// may be near the same CPUs, and some memory near none.
void add_once(std::vector<place>& to, place cpus);

// pin_order() of topology.hpp for a given machine and given CPUs.
std::vector<int> pin_order_on(const hwloc_tree& tree, std::vector<int> allowed);

}  // namespace doall::topology
