// The papers' counts of stealing, for one worker, or for a loop's workers together.
#pragma once

#include "base/arith.hpp"

namespace doall::deque {

struct counts {
  using u64 = base::u64;

  u64 pushes = 0;
  u64 pops = 0;
  u64 pop_parts = 0;  // LBS's pop-half
  u64 splits = 0;     // of a part in two, by a push or a pop-half
  u64 checks = 0;     // of the own deque, for parts that are more than their threshold
  u64 ends = 0;       // of parts: LBS's synchronisation points
  u64 tried = 0;      // thefts
  u64 lost = 0;       // to a faster thief
  u64 stolen = 0;
  u64 claims = 0;  // hybrid's
  u64 failed_claims = 0;

  // LBS, section 3.1: what needs a fence.
  u64 transactions() const { return pushes + pops + pop_parts + stolen; }

  // Calls visit(name, member) for each count: the one list of them.
  template <class Visit>
  static void each(Visit visit) {
    visit("pushes", &counts::pushes);
    visit("pops", &counts::pops);
    visit("pop_halves", &counts::pop_parts);
    visit("splits", &counts::splits);
    visit("deque_checks", &counts::checks);
    visit("synchronisation_points", &counts::ends);
    visit("steals_tried", &counts::tried);
    visit("steals_lost", &counts::lost);
    visit("steals", &counts::stolen);
    visit("claims", &counts::claims);
    visit("failed_claims", &counts::failed_claims);
  }

  counts& operator+=(const counts& other) {
    each([&](const char*, u64 counts::* field) { this->*field += other.*field; });
    return *this;
  }

  bool operator==(const counts&) const = default;
};

}  // namespace doall::deque
