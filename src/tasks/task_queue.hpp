// The tasks that a team's threads share: those with a priority, and those that no deque took.
//
// A thread that waits takes descendants of its task only, and the queue may be long. So tasks lie
// in *rows*: a row has the tasks of one parent, by priority, then first come. Rows lie in a search
// tree, by their parents in an order in which what descends from a task comes right behind it
// (ancestry.hpp): so a task's descendants are the tasks of neighbouring rows. Each row knows the
// best one of its subtree, whose first task goes before all others there.
//
// State: a treap (Seidel & Aragon, Randomized search trees, Algorithmica 1996): by that order a
// search tree, by random weights a heap. Rows are not empty; their parents stay meanwhile.
// Callers: any thread; their lock keeps them apart.
// Terminates: nothing waits, and each step goes down a level.
// Cost: of each operation, expected, some log2 of the rows, and of the tasks in one row.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "base/rng.hpp"

namespace doall::tasks {

// Tree: precedes() and is_within() of ancestry.hpp; a test counts how often it is asked.
template <class Task, class Tree>
class basic_task_queue {
 public:
  basic_task_queue() = default;
  ~basic_task_queue() {
    while (take(nullptr) != nullptr) {
    }
  }
  basic_task_queue(const basic_task_queue&) = delete;
  basic_task_queue& operator=(const basic_task_queue&) = delete;

  void add(Task* t, Task* parent, std::int32_t priority) {
    parts all = only(rows_, parent);
    if (all.inside == nullptr) all.inside = new row{parent, weights_.next()};
    all.inside->tasks.emplace(priority, entry{t, added_++});
    all.inside->renew();
    rows_ = joined(all);
  }

  // Takes the first of the tasks that descend from `within`, or null; within null: of all.
  Task* take(const Task* within) {
    if (within == nullptr) return take_first(rows_);
    parts all = cut(rows_, within, [=](const Task* t) { return Tree::is_within(t, within); });
    Task* const t = take_first(all.inside);
    rows_ = joined(all);
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
  };
  struct row {
    Task* parent;
    std::uint64_t weight;
    std::multimap<std::int32_t, entry, std::greater<>> tasks{};
    row* before = nullptr;  // the subtrees
    row* behind = nullptr;
    row* best = nullptr;

    bool goes_before(const row& other) const {
      const auto& mine = *tasks.begin();
      const auto& its = *other.tasks.begin();
      return mine.first != its.first ? mine.first > its.first
                                     : mine.second.number < its.second.number;
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

  static Task* take_first(row*& all) {
    if (all == nullptr) return nullptr;
    parts its = only(all, all->best->parent);
    row* const best = its.inside;
    Task* const t = best->tasks.begin()->second.what;
    best->tasks.erase(best->tasks.begin());
    if (best->tasks.empty()) {
      delete best;
      its.inside = nullptr;
    } else {
      best->renew();
    }
    all = joined(its);
    return t;
  }

  row* rows_ = nullptr;
  std::uint64_t added_ = 0;
  base::rng weights_{1};
};

}  // namespace doall::tasks
