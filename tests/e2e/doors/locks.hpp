// Locks with ranks. Who holds one takes only higher ones, and so do the bodies of all loops,
// groups and regions that it starts meanwhile, on whichever thread they run: a strict order
// over all threads, so locks alone never make a circle.
//
// What a correct program may rely on beyond that, and these programs do: a thread that waits for
// its own loop runs nothing but what descends from it, and a region gets all of its threads,
// wherever others are blocked. Bodies of other threads' loops may want the lock that is held.
#pragma once

#include <omp.h>

#include <mutex>

#include "doors/page.hpp"

namespace doall::doors {

inline constexpr int ranks = 8;

// One of each kind in turn. Never freed: threads may hold them while the process ends.
class lock_table {
 public:
  lock_table() {
    for (omp_lock_t& l : omp_) omp_init_lock(&l);
  }

  // Runs inside() with the lock of that rank. It throws nothing.
  template <class Inside>
  void hold(int rank, const Inside& inside) {
    switch (rank % 4) {
      case 0:
      case 1: {
        const std::lock_guard locked(mutexes_[rank]);
        alone(rank, inside);
        return;
      }
      case 2:
        omp_set_lock(&omp_[rank]);
        alone(rank, inside);
        omp_unset_lock(&omp_[rank]);
        return;
      default: hold_critical(rank, inside);
    }
  }

  // The locks from now on: those of a forked child, where others that were held stay so.
  // The constructs named `critical` are the process's, so they are left out there.
  static void begin_anew(bool in_child) {
    current = new lock_table;
    current->has_critical_ = !in_child;
  }

  static inline lock_table* current = nullptr;

 private:
  // Shown with the stacks of a process that hangs.
  static constexpr const char* names[ranks] = {"holds 0", "holds 1", "holds 2", "holds 3",
                                               "holds 4", "holds 5", "holds 6", "holds 7"};

  template <class Inside>
  void alone(int rank, const Inside& inside) {
    const int before = holders_[rank]++;
    check(before == 0, "holders of a lock", static_cast<u64>(before), 0);
    const doing now(names[rank]);
    inside();
    --holders_[rank];
  }

  template <class Inside>
  void hold_critical(int rank, const Inside& inside) {
    if (!has_critical_) {
      const std::lock_guard locked(mutexes_[rank]);
      alone(rank, inside);
    } else if (rank < 4) {
#pragma omp critical(doors_low)
      alone(rank, inside);
    } else {
#pragma omp critical(doors_high)
      alone(rank, inside);
    }
  }

  std::mutex mutexes_[ranks];
  omp_lock_t omp_[ranks];
  int holders_[ranks] = {};  // plain: the lock orders it
  bool has_critical_ = true;
};

}  // namespace doall::doors
