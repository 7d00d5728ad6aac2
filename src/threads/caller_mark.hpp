// Which caller's regions have some threads: a mark that one thread of the program has at a time.
//
// It says who, and no more: the lease of the threads orders what one region leaves in them for the
// next.
#pragma once

#include "base/sync.hpp"

namespace doall::team {

class caller_mark {
 public:
  bool is_none() const {
    // (1) relaxed; alone: as above
    return who_.load(sync::relaxed) == nullptr;
  }

  bool is_mine() const {
    // (2) relaxed; alone: as (1)
    return who_.load(sync::relaxed) == &here;
  }

  bool is_anothers() const {
    // (6) relaxed; alone: as (1)
    const void* const who = who_.load(sync::relaxed);
    return who != nullptr && who != &here;
  }

  // What a thread may take that wants something marked as its own, or something unmarked.
  bool fits(bool mine) const { return mine ? is_mine() : is_none(); }

  // Whether it is this thread's now: it was, or no thread had it.
  bool claim() {
    if (is_mine()) return true;
    const void* none = nullptr;
    // (3) relaxed; alone: as (1)
    return who_.compare_exchange_strong(none, &here, sync::relaxed, sync::relaxed);
  }

  // Whoever had it: from now on this thread has it, or none.
  void set(bool to_mine) {
    // (4) relaxed; alone: as (1)
    who_.store(to_mine ? &here : nullptr, sync::relaxed);
  }

  // If it is this thread's, no thread has it any more.
  void give_up() {
    const void* mine = &here;
    // (5) relaxed; alone: as (1)
    who_.compare_exchange_strong(mine, nullptr, sync::relaxed, sync::relaxed);
  }

 private:
  static constinit thread_local char here;  // its address stands for the thread, while it lives

  sync::atomic<const void*> who_{nullptr};
};

}  // namespace doall::team
