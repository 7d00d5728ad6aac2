// LLVM's KMP_HW_SUBSET: which of the machine's CPUs a program's threads use.
//
//   [:]item{,item}
//   item       [how many|*]layer[:attribute][@offset]; attribute and offset in either order
//   layer      s (sockets), n (NUMA domains), d (dies), l or ll (last level caches), l3, l2, l1,
//              c (cores), t (threads), or a word such as ll_caches
//   attribute  of cores: intel_core, intel_atom, or eff0, eff1, ... by growing performance;
//              c items with different attributes stand between commas, or &
//
// An item keeps so many units of its layer in each unit of the next outer layer, after the first
// `offset`. Sockets, cores and threads that no item names count as all of them; other layers that
// no item names do not count: 4c is four cores a socket, whatever NUMA domains there are. Behind a
// colon no layer counts that is not named: ":1t" is one thread of the machine.
//
// Units are those with CPUs of the affinity mask.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "topology/places.hpp"

namespace doall::topology {

struct hw_subset {
  place cpus;           // of the subset
  std::string error{};  // what was expected; empty when the machine has the subset
  std::string note{};   // what of the text has no effect; empty: nothing
};

// O(length of the text, plus layers times CPUs times units).
hw_subset read_hw_subset(std::string_view text, const hwloc_tree& tree,
                         std::span<const int> allowed);

// The CPUs that this process uses: those in the calling thread's affinity mask and, if
// KMP_HW_SUBSET is set, of these the subset of the affinity mask at the first call. Loads hwloc
// only if it is set. A bad value warns, and is ignored.
place usable_cpus();

// Whether KMP_HW_SUBSET leaves out CPUs.
bool has_hw_subset();

}  // namespace doall::topology
