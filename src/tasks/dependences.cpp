#include "tasks/dependences.hpp"

#include <algorithm>

#include "tasks/task_run.hpp"
#include "tasks/watch.hpp"

namespace doall::tasks {
namespace {

bool joins_set(dependence_kind kind) {
  return kind == dependence_kind::in || kind == dependence_kind::inoutset;
}

// A task that is ready goes to the deque of the thread that made it so.
void hand_on(executor* me, task* t) {
  task_team& team = *(me != nullptr ? me->tasks_of : team_of(t));
  if (me == nullptr || priority_of(t) != 0 || !team.push(member_of(*me), t)) team.enqueue(t);
}

// What waits for nothing now goes on. No join waits for a join.
void go_on(executor* me, dependent* ready) {
  if (ready->of != nullptr) {
    hand_on(me, ready->of);
  } else if (ready->waiter != nullptr) {
    ready->waiter->bed.open();
  } else {
    ready->end([me](dependent* next) { go_on(me, next); });
  }
}

}  // namespace

dependence_table::~dependence_table() {
  for (auto& [address, e] : entries_) {
    drop(e.last);
    drop(e.before);
  }
  drop(all_memory_);
}

void dependence_table::drop(tasks& some) {
  for (dependent* d : some) d->let_go();
  some.clear();
}

void dependence_table::drop_ended(tasks& some) {
  std::erase_if(some, [](dependent* d) {
    const bool ended = d->has_ended();
    if (ended) d->let_go();
    return ended;
  });
}

// Puts a join in the place of tasks that may not have ended.
void dependence_table::join(tasks& some) {
  auto* const all = new dependent(nullptr);
  for (dependent* d : some) all->wait_for(d);
  drop(some);
  if (all->has_one_less()) {
    all->let_go();
  } else {
    some.push_back(all);
  }
}

void dependence_table::drop_ended_entries() {
  for (auto at = entries_.begin(); at != entries_.end();) {
    entry& e = at->second;
    drop_ended(e.before);
    drop_ended(e.last);
    at = e.last.empty() && e.before.empty() ? entries_.erase(at) : std::next(at);
  }
  next_sweep_ = 2 * entries_.size() + 256;
}

void dependence_table::wait_for_all(dependent* later, const tasks& earlier) {
  for (dependent* d : earlier) {
    if (d == later) continue;
    if (watch::is_on() && !d->has_ended()) [[unlikely]]
      watch::told_dependence(d->record.get(), later->record.get());
    later->wait_for(d);
  }
}

// A task with omp_all_memory depends on all before it, and all after depend on it.
void dependence_table::add_all_memory(dependent* later, bool joins) {
  for (auto& [address, e] : entries_) {
    wait_for_all(later, e.before);
    wait_for_all(later, e.last);
  }
  wait_for_all(later, all_memory_);
  if (!joins) return;
  for (auto& [address, e] : entries_) {
    drop(e.last);
    drop(e.before);
  }
  entries_.clear();
  drop(all_memory_);
  later->keep();
  all_memory_.push_back(later);
}

void dependence_table::add(dependent* later, dependences on, bool joins) {
  constexpr std::size_t many = 64;
  if (entries_.size() >= next_sweep_) drop_ended_entries();
  for (const dependence& one : on) {
    if (one.address == nullptr) {
      add_all_memory(later, joins);
      continue;
    }
    const auto [at, is_new] = entries_.try_emplace(one.address);
    entry& e = at->second;
    if (is_new) {
      for (dependent* d : all_memory_) {
        d->keep();
        e.last.push_back(d);
      }
    }
    const bool same_set = joins_set(one.kind) && e.kind == one.kind && !e.last.empty();
    tasks& earlier = same_set ? e.before : e.last;
    // What a thread waits for has ended when it comes again.
    if (!joins && earlier.size() > few) drop_ended(earlier);
    if (joins && joins_set(one.kind) && earlier.size() > few && earlier.back() != later &&
        !watch::is_on()) {
      join(earlier);
    }
    wait_for_all(later, earlier);
    if (!joins) continue;
    if (e.last.size() == 1 && e.last[0] == later) {  // it names the address twice
      if (!joins_set(one.kind)) e.kind = one.kind;
      continue;
    }
    if (!same_set) {
      drop(e.before);
      std::swap(e.before, e.last);
      e.kind = one.kind;
    } else if (e.last.size() >= many && (e.last.size() & (e.last.size() - 1)) == 0) {
      drop_ended(e.last);
    }
    later->keep();
    e.last.push_back(later);
  }
}

bool are_met_now(executor& me, task* t, dependences on) {
  const bool detached = t->extra != nullptr && t->extra->detached;
  // What is executed immediately has ended before the next one is made.
  if (me.table == nullptr && !detached && (me.in_final || me.tasks_of->size() == 1) &&
      is_executed_immediately(me)) {
    return true;
  }
  if (me.table == nullptr) me.table = new dependence_table;
  auto* const mine = new dependent(t);
  extra_of(t).depends = mine;
  mine->record = extra_of(t).record;
  base::tsan_gives(t);
  me.table->add(mine, on, true);
  return mine->has_one_less();
}

void wait_for_dependences(executor& me, dependences on, std::shared_ptr<void> record) {
  if (me.table == nullptr) return;
  auto* const mine = new dependent(nullptr, &member_of(me));
  mine->record = std::move(record);
  me.table->add(mine, on, false);
  if (!mine->has_one_less()) {
    run_until(me, tied_task_of(me), me.at->bed, [mine] { return !mine->waits(); });
  }
  base::tsan_takes(mine);
  mine->let_go();
  const auto is_all = [](const dependence& one) { return one.address == nullptr; };
  if (std::ranges::any_of(on, is_all)) me.table->drop_ended_entries();  // all
}

void release(executor* me, dependent* ended) {
  ended->end([me](dependent* ready) { go_on(me, ready); });
  ended->let_go();
}

}  // namespace doall::tasks
