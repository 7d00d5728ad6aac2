// The shelves of several nodes, in one process.
#pragma once

#include <doall/mpi/shelf.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace doall::tests {

using mpi::detail::shelf;

// Of `in_node` ranks each. Rank r is row r % in_node of node r / in_node.
class nodes {
 public:
  nodes(std::uint32_t ranks, std::uint32_t in_node) : in_node_(in_node) {
    for (std::uint32_t first = 0; first < ranks; first += in_node) {
      const std::uint32_t count = std::min(in_node, ranks - first);
      memory_.push_back(std::make_unique<std::byte[]>(shelf::bytes(count)));
      for (std::uint32_t r = 0; r < count; ++r) {
        shelves_.push_back(std::make_unique<shelf>(memory_.back().get(), count, r, r == 0));
      }
    }
    for (std::uint32_t r = 0; r < std::min(in_node, ranks); ++r) near_.push_back(r);
  }
  shelf& of(std::uint32_t rank) { return *shelves_[rank]; }
  bool is_near(std::uint32_t rank, std::uint32_t dealer = 0) const {
    return rank / in_node_ == dealer / in_node_;
  }
  bool is_only() const { return near_.size() == shelves_.size(); }
  const std::vector<std::uint32_t>& near() const { return near_; }
  // By rank, the first rank of its node.
  std::vector<std::uint32_t> firsts() const {
    std::vector<std::uint32_t> made(shelves_.size());
    for (std::uint32_t r = 0; r < made.size(); ++r) made[r] = r / in_node_ * in_node_;
    return made;
  }

 private:
  const std::uint32_t in_node_;
  std::vector<std::unique_ptr<std::byte[]>> memory_;
  std::vector<std::unique_ptr<shelf>> shelves_;
  std::vector<std::uint32_t> near_;
};

}  // namespace doall::tests
