// Which rank deals to which: the groups of a tree of dealers (supply.hpp).
//
// The nodes, in the order of their first ranks, are cut into groups as even as can be, of at most
// so many nodes; the first rank of a group's first node is its head. One group: rank 0 deals to
// all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace doall {
inline namespace v0 {
namespace mpi {
namespace detail {

// Nodes that one rank deals to, unless the environment says otherwise. A rank answers some 2
// million wishes a second; `doall simulate --ranks` shows how many a loop needs.
inline constexpr std::uint32_t usual_group_nodes = 64;

// DOALL_MPI_GROUP_NODES, read on rank 0.
inline std::uint32_t asked_group_nodes() {
  const char* const asked = std::getenv("DOALL_MPI_GROUP_NODES");
  if (asked == nullptr) return usual_group_nodes;
  char* end = nullptr;
  const unsigned long nodes = std::strtoul(asked, &end, 10);
  if (end != asked && *end == 0 && nodes >= 1 && nodes <= 1'000'000) {
    return static_cast<std::uint32_t>(nodes);
  }
  std::fprintf(stderr,
               "doall: DOALL_MPI_GROUP_NODES=%s is ignored: expected a number of nodes from 1 to "
               "1000000; a rank deals to %u\n",
               asked, usual_group_nodes);
  return usual_group_nodes;
}

struct groups {
  std::uint32_t count = 1;
  std::uint32_t head = 0;              // of this rank's
  bool is_one_node = false;            // this rank's
  std::vector<std::uint32_t> members;  // ranks of this rank's, ascending
  std::vector<std::uint32_t> heads;    // of all, ascending

  // `first_of`: by rank, the first rank of its node.
  static groups of(const std::vector<std::uint32_t>& first_of, std::uint32_t rank,
                   std::uint32_t most_nodes) {
    std::vector<std::uint32_t> nodes = first_of;
    std::ranges::sort(nodes);
    nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
    const std::uint64_t all = nodes.size();
    groups made;
    made.count = static_cast<std::uint32_t>((all + most_nodes - 1) / most_nodes);
    const auto group_of = [&](std::uint32_t r) {
      const auto node = std::ranges::lower_bound(nodes, first_of[r]) - nodes.begin();
      return static_cast<std::uint64_t>(node) * made.count / all;
    };
    std::uint64_t own_nodes = 0;
    for (const std::uint32_t first : nodes) {
      const std::uint64_t group = group_of(first);
      if (group == made.heads.size()) made.heads.push_back(first);
      if (group == group_of(rank)) ++own_nodes;
    }
    made.head = made.heads[group_of(rank)];
    made.is_one_node = own_nodes == 1;
    for (std::uint32_t r = 0; r < first_of.size(); ++r) {
      if (group_of(r) == group_of(rank)) made.members.push_back(r);
    }
    return made;
  }

  bool is_tree() const { return count > 1; }
  static std::uint32_t index(const std::vector<std::uint32_t>& in, std::uint32_t rank) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(in, rank) - in.begin());
  }
  bool is_head(std::uint32_t rank) const { return std::ranges::binary_search(heads, rank); }
};

}  // namespace detail
}  // namespace mpi
}  // namespace v0
}  // namespace doall
