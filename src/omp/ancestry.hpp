// Whether one node of the tree of tasks descends from another, in a number of steps that does not
// grow with the tree.
//
// A node knows its root, its parent and, if it lies deep, a *jump*: an ancestor further up, as in
// Myers 1983, "An applicative random-access stack": its parent's jump's jump, if the parent's jump
// and that one's span as many levels, else its parent. Along parents and jumps an ancestor at any
// depth is O(log depth) steps away. Most trees are shallow, and a jump costs the maker of a node
// four loads. So the topmost levels have none; there parents are followed.
//
// State: written by the node's maker, before others know of it. They are atomic for thieves, which
// may look at a node that already serves another task (task.hpp): what they read is a mixture then,
// and the answer a hint.
// Terminates: each step must lead to a smaller depth.
// Cost: derive(), three loads; descends(), at most 64 steps and some 3 log2 of the depth.
#pragma once

#include <cstdint>

#include "base/sync.hpp"

namespace doall::omp::ancestry {

constexpr std::uint32_t jumps_from = 64;  // the depth below which nodes have jumps

// Makes `t` a child of `parent`, which stays while it is there.
template <class Node>
void derive(Node& t, Node& parent) {
  // (1) relaxed; alone: the hand-over publishes it, as it does the rest
  t.parent.store(&parent, sync::relaxed);
  // (2) relaxed; alone: the calling thread has acquired what the parent's maker wrote
  t.root.store(parent.root.load(sync::relaxed), sync::relaxed);
  // (3) relaxed; alone: as (2)
  const std::uint32_t above = parent.depth.load(sync::relaxed);
  // (4) relaxed; alone: as (1)
  t.depth.store(above + 1, sync::relaxed);
  if (above < jumps_from) return;
  Node* to = &parent;
  if (above > jumps_from) {
    // (5) relaxed; alone: as (2)
    Node* const first = parent.jump.load(sync::relaxed);
    // (6) relaxed; alone: as (2)
    const std::uint32_t depth = first->depth.load(sync::relaxed);
    if (depth > jumps_from) {
      // (7) relaxed; alone: as (2)
      Node* const second = first->jump.load(sync::relaxed);
      // (8) relaxed; alone: as (2)
      if (above - depth == depth - second->depth.load(sync::relaxed)) to = second;
    }
  }
  // (9) relaxed; alone: as (1)
  t.jump.store(to, sync::relaxed);
}

// Whether `t` is a strict descendant of `of`.
template <class Node>
bool descends(const Node* t, const Node* of) {
  // (10) relaxed; alone: the caller keeps `of`
  const std::uint32_t top = of->depth.load(sync::relaxed);
  // (11) relaxed; alone: a hint, or the task's publication has published it
  std::uint32_t depth = t->depth.load(sync::relaxed);
  if (depth <= top) return false;
  // (12) relaxed; alone: as (11)
  if (top == 0) return t->root.load(sync::relaxed) == of;
  while (depth > top) {
    const Node* next = nullptr;
    std::uint32_t at = 0;
    if (depth > jumps_from) {
      // (13) relaxed; alone: as (11)
      next = t->jump.load(sync::relaxed);
      // (14) relaxed; alone: as (11)
      if (next != nullptr) at = next->depth.load(sync::relaxed);
    }
    if (next == nullptr || at < top) {
      // (15) relaxed; alone: as (11)
      next = t->parent.load(sync::relaxed);
      if (next == nullptr) return false;
      // (16) relaxed; alone: as (11)
      at = next->depth.load(sync::relaxed);
    }
    if (at >= depth) return false;  // a mixture
    t = next;
    depth = at;
  }
  return t == of;
}

}  // namespace doall::omp::ancestry
