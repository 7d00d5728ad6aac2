// Memory for the nodes of one container, in chunks: a node costs a few instructions, not a call of
// the allocator. When the container is empty all chunks but the first go back.
//
// State: chunks, of which the last is used up to `used_`; a list of nodes that came back.
// Callers: whoever holds the container's lock.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace doall::tasks {

// Node: trivially destructible, so that it may lie in its place until that is used again.
template <class Node, std::size_t ChunkNodes = 64>
class node_pool {
 public:
  template <class... Values>
  Node* take(Values&&... values) {
    place* p = free_;
    if (p != nullptr) {
      free_ = p->next;
    } else {
      if (chunks_.empty() || used_ == ChunkNodes) grow();
      p = &(*chunks_.back())[used_++];
    }
    return new (p->node) Node{std::forward<Values>(values)...};
  }

  void give(Node* n) {
    static_assert(std::is_trivially_destructible_v<Node>);
    auto* const p = reinterpret_cast<place*>(n);
    p->next = free_;
    free_ = p;
  }

  // Called when all nodes have come back.
  void forget_all() {
    if (chunks_.size() > 1) chunks_.resize(1);
    free_ = nullptr;
    used_ = 0;
  }

 private:
  union place {
    place* next;
    alignas(Node) std::byte node[sizeof(Node)];
  };
  using chunk = std::array<place, ChunkNodes>;

  void grow() {
    chunks_.push_back(std::unique_ptr<chunk>(new chunk));
    used_ = 0;
  }

  std::vector<std::unique_ptr<chunk>> chunks_;
  std::size_t used_ = 0;
  place* free_ = nullptr;
};

}  // namespace doall::tasks
