// hwloc's tree of a machine, in the form that the rest of this room uses.
#pragma once

#include <hwloc.h>

#include <vector>

namespace doall::topology {

class hwloc_tree {
 public:
  // Loaded once, at the first call.
  static const hwloc_tree& of_this_machine();

  // A machine described in hwloc's synthetic language, such as "package:2 core:2 pu:2".
  explicit hwloc_tree(const char* synthetic);

  ~hwloc_tree();
  hwloc_tree(const hwloc_tree&) = delete;
  hwloc_tree& operator=(const hwloc_tree&) = delete;

  // Objects of a type in logical order: neighbours in the tree of packages, NUMA domains and caches
  // follow each other. None if loading failed.
  std::vector<hwloc_obj_t> all(hwloc_obj_type_t type) const;

 private:
  hwloc_tree();
  void load();

  hwloc_topology_t handle_ = nullptr;  // null if loading failed
};

// pin_order() of topology.hpp for a given machine and given CPUs.
std::vector<int> pin_order_on(const hwloc_tree& tree, std::vector<int> allowed);

}  // namespace doall::topology
