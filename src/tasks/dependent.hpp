// One task's part in the dependences between tasks: dependences.hpp has the whole. `Task` is what
// the thread that lets it go gets: the model has tasks of its own.
//
// State: `waiters_`, a list of those that wait for this one, or closed. `missing_`, how many it
// waits for, and one more while its maker adds. `references_`.
#pragma once

#include <cstdint>
#include <memory>

#include "base/sync.hpp"
#include "base/tsan.hpp"

namespace doall::tasks {

struct task;
struct member;

class dependent {
 public:
  explicit dependent(task* its_task, member* its_waiter = nullptr)
      : of(its_task), waiter(its_waiter) {}

  task* const of;                // null: no task, a thread that waits, or a join (dependences.hpp)
  member* const waiter;          // then: whose; null: a join
  std::shared_ptr<void> record;  // a tool's, of the task; null: none

  // Called by the maker: this one waits for `earlier`, unless that has ended.
  void wait_for(dependent* earlier) {
    // (1) acquire; pairs with (3): what the earlier one did, if it has ended
    link* seen = earlier->waiters_.load(sync::acquire);
    if (seen == closed()) {
      base::tsan_takes(earlier);
      return;
    }
    // (2) relaxed; alone: its maker still holds one
    missing_.fetch_add(1, sync::relaxed);
    keep();
    link* const mine = new_link(seen);
    base::tsan_gives(earlier);
    do {
      mine->next = seen;
      // (4) acq_rel; pairs with (3): the link; as (1), though on success nothing has ended: the
      // model cannot run a failure that is stronger
      // (5) acquire; pairs with (3): as (1)
      if (earlier->waiters_.compare_exchange_weak(seen, mine, sync::acq_rel, sync::acquire)) return;
    } while (seen != closed());
    base::tsan_takes(earlier);
    drop(mine);
    // (6) relaxed; alone: as (2)
    missing_.fetch_sub(1, sync::relaxed);
    let_go();
  }

  // Called by the maker, when it has added all; or for a predecessor that has ended. True: it waits
  // for nothing now. The caller hands it over.
  bool has_one_less() {
    base::tsan_gives(this);
    // (7) acq_rel; pairs with (7), (8): what all predecessors did
    const bool none = missing_.fetch_sub(1, sync::acq_rel) == 1;
    if (none) base::tsan_takes(this);
    return none;
  }

  bool waits() const {
    // (8) acquire; pairs with (7): what all predecessors did
    return missing_.load(sync::acquire) != 0;
  }

  bool has_ended() const {
    // (9) acquire; pairs with (3): as (1)
    return waiters_.load(sync::acquire) == closed();
  }

  // Called when the task has ended. Calls ready(d) for each that now waits for nothing; ready() may
  // not let it go.
  template <class Ready>
  void end(Ready ready) {
    base::tsan_gives(this);
    // (3) acq_rel; pairs with (1), (4), (5), (9): the links; what this task did
    link* next = waiters_.exchange(closed(), sync::acq_rel);
    base::tsan_takes(this);
    while (next != nullptr) {
      link* const one = next;
      next = one->next;
      dependent* const waits = one->waits;
      if (waits->has_one_less()) ready(waits);
      waits->drop(one);
      waits->let_go();
    }
  }

  void keep() {
    // (10) relaxed; alone: the caller has one
    references_.fetch_add(1, sync::relaxed);
  }
  void let_go() {
    base::tsan_gives(this);
    // (11) acq_rel; pairs with (11): all others are done with it
    if (references_.fetch_sub(1, sync::acq_rel) != 1) return;
    base::tsan_takes(this);
    delete this;
  }

 private:
  struct link {
    dependent* waits;
    link* next;
  };
  // Most tasks wait for one: the first link is in the dependent. Called by the maker.
  link* new_link(link* next) {
    if (first_.waits != nullptr) return new link{this, next};
    first_ = {this, next};
    return &first_;
  }
  // Called by the maker, or by the thread that ends what the link waited for.
  void drop(link* one) {
    if (one != &first_) delete one;
  }

  // No link has that address.
  static link* closed() { return reinterpret_cast<link*>(alignof(link)); }

  link first_{};  // of what it waits for first; it stays used
  sync::atomic<link*> waiters_{nullptr};
  sync::atomic<std::uint32_t> missing_{1};
  sync::atomic<std::uint32_t> references_{1};
};

}  // namespace doall::tasks
