// The shape of a team: which workers each worker releases, and waits for.
//
// Paper: fine-grain, section 3.2, Figure 5. Workers are numbered in the order in which they are
// pinned, so those of a NUMA domain follow each other, and a part of the tree is a range of
// numbers, a branch, led by its first worker. A leader's children lead the parts of the rest of its
// branch:
//
//   at the top the branch is cut where domains begin: one child for each other domain;
//   below that by two, as in a tournament of pairs (0-1, 2-3, then 0-2): the children of b are
//   b + 1, b + 2, b + 4, ..., and b + 2^k leads the 2^k workers from there on, or as many as there
//   are.
//
// So in every wait one worker waits for one other, neighbours in number meet first, and a child's
// branch lies right of all that its leader has joined before: a join combines left before right.
//
// The flat form, in which worker 0 leads all others, is the paper's "centralized" one: one level,
// P - 1 lines written and read by one worker.
//
// Nothing is stored: a branch's children follow from the branch and the domains' first workers.
// Cost of a child: O(domains) at the top, O(1) below.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

namespace doall::barrier {

// Workers [begin, end); `begin` leads the others.
struct branch {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  std::uint32_t size() const { return end - begin; }
  bool operator==(const branch&) const = default;
};

class tree {
 public:
  static tree flat() { return tree(true, {}); }

  // `domain_starts`: the first worker of each NUMA domain, in increasing order, with or without
  // worker 0. The caller keeps them while the tree lives.
  static tree over(std::span<const std::uint32_t> domain_starts) {
    return tree(false, domain_starts);
  }

  bool is_flat() const { return flat_; }

  // The branch of the child that the leader releases first: the farthest, whose own branch is
  // mostly the deepest. Needs a branch of at least two. Without that child the leader still leads
  // [begin, the child's begin).
  branch last_child(branch b) const { return {last_cut(b), b.end}; }

  // The branch of the leader's child that begins at `begin`. Children are joined in this order:
  // begin + 1, then where the child before has ended. Needs begin < b.end.
  branch child_at(branch b, std::uint32_t begin) const {
    if (flat_) return {begin, begin + 1};
    const std::uint32_t domain_end = own_domain(b).end;
    if (begin >= domain_end) return {begin, std::min(next_domain(begin), b.end)};
    return {begin, std::min(2 * begin - b.begin, domain_end)};
  }

  // The branch that worker w of the team leads. O(log size + domains).
  branch branch_of(branch team, std::uint32_t w) const {
    while (w != team.begin) {
      const branch child = last_child(team);
      if (w < child.begin)
        team.end = child.begin;
      else
        team = child;
    }
    return team;
  }

  // The part of the branch in the leader's own domain.
  branch own_domain(branch b) const { return {b.begin, std::min(next_domain(b.begin), b.end)}; }

 private:
  tree(bool flat, std::span<const std::uint32_t> domain_starts)
      : flat_(flat), domain_starts_(domain_starts) {}

  // The first worker of the next domain after worker w's.
  std::uint32_t next_domain(std::uint32_t w) const {
    const auto next = std::ranges::upper_bound(domain_starts_, w);
    return next == domain_starts_.end() ? UINT32_MAX : *next;
  }

  std::uint32_t last_cut(branch b) const {
    if (flat_) return b.end - 1;
    const auto after = std::ranges::lower_bound(domain_starts_, b.end);
    if (after != domain_starts_.begin() && after[-1] > b.begin) return after[-1];
    return b.begin + std::bit_floor(b.size() - 1);
  }

  bool flat_;
  std::span<const std::uint32_t> domain_starts_;
};

}  // namespace doall::barrier
