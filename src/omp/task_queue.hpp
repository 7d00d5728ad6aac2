// The tasks that a team's threads share: those with a priority, and those that no deque took.
//
// A thread that waits may take some of them only, and the queue may be long. So a task stands in a
// *line* for each wait that it may end: that of the task which made it (taskwait, dependences),
// that of the task which opened its innermost taskgroup, and that of the root of its branch; and in
// the line of all tasks, whose owner is null. In a line tasks go by priority, then first come. A
// thread looks at the head of one line.
//
// State: a line is cut into rows, lists of the tasks of one priority. The map has the rows that are
// not empty, by owner, then by falling priority. A task's `entry` has a link in each of its lines.
// Callers: any thread; their lock keeps them apart. An owner stays while it has a line.
// Terminates: nothing waits, and no list is walked along.
// Cost: of add() and take(), a search among the rows for each of at most four lines; of has(), one.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace doall::omp {

// `Before`: an order of owners; a test counts how often it is asked.
template <class Task, class Before = std::less<const Task*>>
class basic_task_queue {
 public:
  // The tasks whose waits `t` may end; null: none.
  struct owners {
    Task* maker;
    Task* opener;
    Task* root;

    bool have(const Task* one) const { return one == maker || one == opener || one == root; }
  };

  basic_task_queue() = default;
  ~basic_task_queue() {
    while (take(nullptr) != nullptr) {
    }
  }
  basic_task_queue(const basic_task_queue&) = delete;
  basic_task_queue& operator=(const basic_task_queue&) = delete;

  void add(Task* t, std::int32_t priority, const owners& its) {
    entry* const e = take_entry();
    *e = {t, {}, 0, nullptr};
    put(*e, nullptr, priority);
    if (its.maker != nullptr) put(*e, its.maker, priority);
    if (its.opener != nullptr && its.opener != its.maker) put(*e, its.opener, priority);
    if (its.root != its.maker && its.root != its.opener && its.root != nullptr)
      put(*e, its.root, priority);
  }

  // The first task in that owner's line, or null.
  Task* take(const Task* owner) {
    const auto head = head_of(owner);
    if (head == rows_.end()) return nullptr;
    entry* const e = head->second.first->of;
    Task* const t = e->what;
    for (std::uint32_t i = 0; i < e->lines; ++i) remove(e->in[i]);
    e->next_free = std::exchange(free_, e);
    if (rows_.empty() && chunks_.size() > kept_most) {
      free_ = nullptr;
      chunks_.clear();
    }
    return t;
  }

  bool has(const Task* owner) { return head_of(owner) != rows_.end(); }

 private:
  struct entry;
  struct link;
  struct place {
    const Task* owner;
    std::int32_t priority;
  };
  struct by_place {
    bool operator()(const place& a, const place& b) const {
      if (a.owner != b.owner) return Before()(a.owner, b.owner);
      return a.priority > b.priority;
    }
  };
  struct row {
    link* first = nullptr;
    link* last = nullptr;
  };
  using rows = std::map<place, row, by_place>;

  struct link {
    entry* of;
    typename rows::iterator at;
    link* before;
    link* next;
  };
  struct entry {
    Task* what;
    std::array<link, 4> in;
    std::uint32_t lines;
    entry* next_free;
  };

  // Entries are allocated by many, and a few are kept.
  static constexpr std::size_t chunk = 64;
  static constexpr std::size_t kept_most = 16;
  entry* take_entry() {
    if (free_ == nullptr) {
      chunks_.push_back(std::make_unique<entry[]>(chunk));
      for (std::size_t i = 0; i < chunk; ++i)
        chunks_.back()[i].next_free = std::exchange(free_, &chunks_.back()[i]);
    }
    return std::exchange(free_, free_->next_free);
  }

  typename rows::iterator head_of(const Task* owner) {
    const auto head = rows_.lower_bound({owner, std::numeric_limits<std::int32_t>::max()});
    return head != rows_.end() && head->first.owner == owner ? head : rows_.end();
  }

  void put(entry& e, const Task* owner, std::int32_t priority) {
    const auto at = rows_.try_emplace({owner, priority}).first;
    row& r = at->second;
    link& mine = e.in[e.lines++];
    mine = {&e, at, r.last, nullptr};
    (r.last != nullptr ? r.last->next : r.first) = &mine;
    r.last = &mine;
  }

  void remove(const link& mine) {
    row& r = mine.at->second;
    (mine.before != nullptr ? mine.before->next : r.first) = mine.next;
    (mine.next != nullptr ? mine.next->before : r.last) = mine.before;
    if (r.first == nullptr) rows_.erase(mine.at);
  }

  rows rows_;
  entry* free_ = nullptr;
  std::vector<std::unique_ptr<entry[]>> chunks_;
};

}  // namespace doall::omp
