// Where an action of a random program runs, and what an action is.
//
// A program is a tree of actions that is never written down: what an action does, and the seeds
// of those inside of it, come from its own seed, so the tree is the same whoever runs it. Its size
// is a budget that an action divides among those inside.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "doors/locks.hpp"
#include "doors/page.hpp"

namespace doall::doors {

struct frame {
  base::rng random{0};
  unsigned depth = 0;
  unsigned budget = 0;  // actions inside, about
  int floor = -1;       // the highest lock that it, or a frame around it, holds

  u64 below(u64 bound) { return random.below(bound); }
  bool one_in(u64 n) { return random.below(n) == 0; }

  // One of `parts` frames inside of this one, told apart by seeds.
  frame inner(u64 seed, u64 parts) const {
    return {base::rng(seed), depth + 1, static_cast<unsigned>(budget / (parts == 0 ? 1 : parts)),
            floor};
  }
};

struct action {
  const char* name;
  unsigned weight;  // against the others'
  void (*run)(frame f);
};

// Some actions, one after the other, or, when the budget is used up, next to nothing.
void act(frame f);

// Next to nothing: a lock for a moment, a nap, some work.
void leaf(frame f);

// Each room's list.
std::span<const action> native_actions();
std::span<const action> group_actions();
std::span<const action> openmp_actions();
std::span<const action> process_actions();

// Texts of schedules to choose from.
const std::vector<std::string>& schedules();

// How often each iteration of a loop has run.
class tally {
 public:
  explicit tally(u64 n) : times_(n) {}
  void ran(u64 i) {
    const auto before = times_[i].fetch_add(1, std::memory_order_relaxed);
    check(before == 0, "earlier runs of an iteration", before, 0);
  }
  u64 total() const {
    u64 sum = 0;
    for (const auto& t : times_) sum += t.load(std::memory_order_relaxed);
    return sum;
  }
  void check_all(const char* what) const {
    check(total() == times_.size(), what, total(), times_.size());
  }

 private:
  std::vector<std::atomic<std::uint32_t>> times_;
};

// The thread that meets the countdown's end ends the process there, in whatever it is, if the
// process is to end so (endings.cpp). Called by leaves.
void maybe_end_here();

// Called in each leaf, if it is set (process.cpp).
inline void (*at_leaf)() = nullptr;

// Whether the program has started this thread. doall's own are all others but main().
inline constinit thread_local bool is_own_thread = false;

// In the child of a fork: nothing of the parent's plans for its end holds.
void begin_child();

}  // namespace doall::doors
