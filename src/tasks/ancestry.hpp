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

#include <algorithm>
#include <cstdint>
#include <functional>

#include "base/sync.hpp"

namespace doall::tasks::ancestry {

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

// The ancestor of `t`, which is at `depth`, at that lesser one, `top`. Null: what was read is a
// mixture.
template <class Node>
const Node* ancestor_at(const Node* t, std::uint32_t depth, std::uint32_t top) {
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
      if (next == nullptr) return nullptr;
      // (16) relaxed; alone: as (11)
      at = next->depth.load(sync::relaxed);
    }
    if (at >= depth) return nullptr;
    t = next;
    depth = at;
  }
  return t;
}

// Whether `t` is a strict descendant of `of`.
template <class Node>
bool descends(const Node* t, const Node* of) {
  // (10) relaxed; alone: the caller keeps `of`
  const std::uint32_t top = of->depth.load(sync::relaxed);
  // (11) relaxed; alone: a hint, or the task's publication has published it
  const std::uint32_t depth = t->depth.load(sync::relaxed);
  if (depth <= top) return false;
  // (12) relaxed; alone: as (11)
  if (top == 0) return t->root.load(sync::relaxed) == of;
  return ancestor_at(t, depth, top) == of;
}

// Whether `t` is `of`, or descends from it.
template <class Node>
bool is_within(const Node* t, const Node* of) {
  return t == of || descends(t, of);
}

// Whether `a` comes before `b` in an order in which a node's descendants come right behind it. The
// caller keeps a, and so what is above it; if it does not keep b, the answer is a hint. Siblings
// go by where they lie.
template <class Node>
bool precedes(const Node* a, const Node* b) {
  // (17) relaxed; alone: as (11)
  const std::uint32_t depth_a = a->depth.load(sync::relaxed);
  // (18) relaxed; alone: as (17)
  const std::uint32_t depth_b = b->depth.load(sync::relaxed);
  std::uint32_t depth = std::min(depth_a, depth_b);
  a = ancestor_at(a, depth_a, depth);
  b = ancestor_at(b, depth_b, depth);
  if (a == b) return depth_a < depth_b;
  // Up to siblings, or roots. The jumps from one depth lead to one depth.
  while (depth > 0) {
    if (b == nullptr) return false;  // a mixture
    if (depth > jumps_from) {
      // (19) relaxed; alone: as (17)
      const Node* const from_a = a->jump.load(sync::relaxed);
      // (20) relaxed; alone: as (17)
      const Node* const from_b = b->jump.load(sync::relaxed);
      if (from_a != from_b) {
        a = from_a;
        b = from_b;
        // (21) relaxed; alone: as (17)
        depth = a->depth.load(sync::relaxed);
        continue;
      }
    }
    // (22) relaxed; alone: as (17)
    const Node* const above_a = a->parent.load(sync::relaxed);
    // (23) relaxed; alone: as (17)
    const Node* const above_b = b->parent.load(sync::relaxed);
    if (above_a == above_b) break;
    a = above_a;
    b = above_b;
    --depth;
  }
  return std::less<>()(a, b);
}

}  // namespace doall::tasks::ancestry
