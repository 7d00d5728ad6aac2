// The tasks that a team's threads share: those with a priority, and those that no deque took.
//
// A thread that waits takes descendants of its task only, and the queue may be long. So tasks lie
// in *rows*: a row has the tasks of one parent, by priority, then first come. Rows lie in a search
// tree, by their parents in an order in which what descends from a task comes right behind it
// (ancestry.hpp): so a task's descendants are the tasks of neighbouring rows. Each row knows the
// best one of its subtree, whose first task goes before all others there.
//
// State: a treap (Seidel & Aragon, Randomized search trees, Algorithmica 1996): by that order a
// search tree, by random weights a heap. Rows are not empty; their parents stay meanwhile. In a row
// tasks of one priority that were added one after the other are a chain; chains are a leftist heap
// (Crane 1972; Knuth, vol. 3, 5.2.3) by their first tasks: of a node's two subtrees the right one's
// right spine is not the longer one. Chains of one priority do not overlap in time, so what comes
// next in the first chain takes the first one's place. Rows and tasks lie in chunks
// (node_pool.hpp).
// Callers: any thread; their lock keeps them apart.
// Terminates: nothing waits, and each step goes down a level.
// Cost: of each operation, expected, some log2 of the rows, and log2 of the chains in one row.
#pragma once

#include <cstdint>
#include <utility>

#include "base/rng.hpp"
#include "tasks/node_pool.hpp"

namespace doall::tasks {

// Tree: precedes() and is_within() of ancestry.hpp; a test counts how often it is asked.
template <class Task, class Tree>
class basic_task_queue {
 public:
  basic_task_queue() = default;
  basic_task_queue(const basic_task_queue&) = delete;
  basic_task_queue& operator=(const basic_task_queue&) = delete;

  void add(Task* t, Task* parent, std::int32_t priority) {
    parts all = only(rows_, parent);
    if (all.inside == nullptr) all.inside = row_pool_.take(parent, weights_.next());
    all.inside->add(entry_pool_.take(t, added_++, priority));
    all.inside->renew();
    rows_ = joined(all);
  }

  // Takes the first of the tasks that descend from `within`, or null; within null: of all.
  Task* take(const Task* within) {
    if (rows_ == nullptr) return nullptr;
    if (within == nullptr) {
      Task* const t = take_first(rows_);
      forget_if_empty();
      return t;
    }
    parts all = cut(rows_, within, [=](const Task* t) { return Tree::is_within(t, within); });
    Task* const t = take_first(all.inside);
    rows_ = joined(all);
    forget_if_empty();
    return t;
  }

  // Whether there is one.
  bool has(const Task* within) const {
    if (within == nullptr) return rows_ != nullptr;
    for (const row* at = rows_; at != nullptr;) {
      if (Tree::is_within(at->parent, within)) return true;
      at = Tree::precedes(at->parent, within) ? at->behind : at->before;
    }
    return false;
  }

 private:
  struct entry {
    Task* what;
    std::uint64_t number;  // how many came before
    std::int32_t priority;
    std::uint32_t spine = 1;  // chains along the right, from this one on
    entry* left = nullptr;    // of a chain's first
    entry* right = nullptr;
    entry* next = nullptr;  // in the chain

    bool goes_before(const entry& other) const {
      return priority != other.priority ? priority > other.priority : number < other.number;
    }
  };
  struct row {
    Task* parent;
    std::uint64_t weight;
    entry* tasks = nullptr;  // the first chain's first
    entry* last = nullptr;   // that was added, if it is still there
    row* before = nullptr;   // the subtrees
    row* behind = nullptr;
    row* best = nullptr;

    bool goes_before(const row& other) const { return tasks->goes_before(*other.tasks); }
    void add(entry* one) {
      if (last != nullptr && last->priority == one->priority)
        last->next = one;
      else
        tasks = merged(tasks, one);
      last = one;
    }
    entry* take_first() {
      entry* const first = tasks;
      if (first == last) last = nullptr;
      if (entry* const then = first->next; then != nullptr) {
        then->left = first->left;
        then->right = first->right;
        then->spine = first->spine;
        tasks = then;
      } else {
        tasks = merged(first->left, first->right);
      }
      return first;
    }
    void renew() {
      best = this;
      for (const row* const one : {before, behind}) {
        if (one != nullptr && one->best->goes_before(*best)) best = one->best;
      }
    }
  };

  // Some neighbouring rows, and those on either side.
  struct parts {
    row* before;
    row* inside;
    row* behind;
  };

  // As deep as the spines of both together.
  static entry* merged(entry* a, entry* b) {
    if (a == nullptr) return b;
    if (b == nullptr) return a;
    if (b->goes_before(*a)) std::swap(a, b);
    a->right = merged(a->right, b);
    if (a->left == nullptr || a->left->spine < a->right->spine) std::swap(a->left, a->right);
    a->spine = (a->right != nullptr ? a->right->spine : 0) + 1;
    return a;
  }

  // Splits off the first rows, as long as is_first() holds of their parents.
  template <class IsFirst>
  static std::pair<row*, row*> split(row* all, IsFirst is_first) {
    if (all == nullptr) return {};
    std::pair<row*, row*> both;
    if (is_first(all->parent)) {
      both = split(all->behind, is_first);
      all->behind = std::exchange(both.first, all);
    } else {
      both = split(all->before, is_first);
      all->before = std::exchange(both.second, all);
    }
    all->renew();
    return both;
  }

  // `at`: a task where is_inside() begins to hold, if it does.
  template <class IsInside>
  static parts cut(row* all, const Task* at, IsInside is_inside) {
    const auto [before, others] = split(all, [=](const Task* t) { return Tree::precedes(t, at); });
    const auto [inside, behind] = split(others, is_inside);
    return {before, inside, behind};
  }

  static parts only(row* all, const Task* parent) {
    return cut(all, parent, [=](const Task* t) { return t == parent; });
  }

  static row* joined(row* first, row* second) {
    if (first == nullptr) return second;
    if (second == nullptr) return first;
    row* const top = first->weight > second->weight ? first : second;
    if (top == first)
      first->behind = joined(first->behind, second);
    else
      second->before = joined(first, second->before);
    top->renew();
    return top;
  }
  static row* joined(const parts& all) {
    return joined(all.before, joined(all.inside, all.behind));
  }

  // The subtree of `at` in which that row is, which is the best of both.
  static row*& side_of(row* at, const row* best) {
    return at->before != nullptr && at->before->best == best ? at->before : at->behind;
  }
  static row* without(row* at, const row* best) {
    if (at == best) return joined(at->before, at->behind);
    row*& side = side_of(at, best);
    side = without(side, best);
    at->renew();
    return at;
  }
  static void renew_down_to(row* at, const row* best) {
    if (at != best) renew_down_to(side_of(at, best), best);
    at->renew();
  }

  Task* take_first(row*& all) {
    if (all == nullptr) return nullptr;
    row* const best = all->best;
    entry* const first = best->take_first();
    Task* const t = first->what;
    entry_pool_.give(first);
    if (best->tasks != nullptr) {
      renew_down_to(all, best);
    } else {
      all = without(all, best);
      row_pool_.give(best);
    }
    return t;
  }

  void forget_if_empty() {
    if (rows_ != nullptr) return;
    row_pool_.forget_all();
    entry_pool_.forget_all();
  }

  row* rows_ = nullptr;
  node_pool<row> row_pool_;
  node_pool<entry> entry_pool_;
  std::uint64_t added_ = 0;
  base::rng weights_{1};
};

}  // namespace doall::tasks
