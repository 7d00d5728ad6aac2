// The full barrier of a large team: each worker waits for all others, along the tree.
//
// Paper: fine-grain, section 3.1: a full barrier is a join followed by a release. Here both go
// along the team's tree (tree.hpp), as the half-barrier's do: a worker waits for those that it
// leads, tells its own leader, waits for its release, and releases those that it leads. It differs
// from the half-barrier in that there are no stand-ins: every worker has to come, so there are no
// claims and no tasks.
//
// State: two lines for each worker, each with one writer and one reader. The counts are never
// compared with those of another worker, so a team may be larger or smaller than the last one, and
// a worker may have another leader.
//
//   arrived    written by the worker: how often it has arrived, with all that it leads
//   released   written by its leader: how often it was released
//
// Invariants: arrived == released outside a barrier; arrived == released + 1 from when the worker
// has arrived until it is released. The first worker leads all and uses no slot.
// src/barrier/README.md has the argument; tests/model/model_tree_barrier.cpp checks it.
//
// Callers: arrive(), each of the team's workers, all with the same team and shape; make_room() and
// forget(), the team's leader, while no worker is in a barrier. A gate outlives both, for who has
// seen a sleeper there may open it later (tasks/sleepers.hpp).
// Terminates if all arrive: a leaf does not wait before it has arrived, and the first worker does
// not wait after all have.
// Cost: loads and stores only. Two transfers of a line for each worker; P - 1 up and P - 1 down, of
// which log2 P + domains are on the longest path in each direction.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "barrier/tree.hpp"
#include "base/cache_line.hpp"
#include "base/sync.hpp"
#include "park/gate.hpp"

namespace doall::barrier {

class tree_barrier {
 public:
  void make_room(std::uint32_t workers) {
    if (workers <= room_) return;
    room_ = std::max(workers, 2 * room_);  // so that all outgrown ones together are no larger
    if (slots_) outgrown_.push_back(std::move(slots_));
    slots_ = std::make_unique<slot[]>(room_);
  }

  // Called while no worker is in a barrier, of which some were given up.
  void forget() {
    for (std::uint32_t i = 0; i < room_; ++i) {
      // (7) relaxed; alone: no worker is in a barrier, and the region's release publishes it
      slots_[i].arrived.store(0, sync::relaxed);
      // (8) relaxed; alone: as (7)
      slots_[i].released.store(0, sync::relaxed);
    }
  }

  // Returns when all workers of the team have arrived; `worker` is one of [team.begin,
  // team.end). What each did before is visible to all after.
  void arrive(const tree& shape, branch team, std::uint32_t worker, park::spin_bound spin) {
    arrive(
        shape, team, worker,
        [&](park::gate& at, auto ready) {
          at.wait(ready, spin);
          return true;
        },
        [] {});
  }

  // The same for workers that do other things while they wait: wait(gate, ready) returns true when
  // ready() holds, or false if the barrier is given up. The first worker calls last() when all have
  // arrived, before it lets the others go.
  template <class Wait, class Last>
  void arrive(const tree& shape, branch team, std::uint32_t worker, Wait wait, Last last) {
    slot* const slots = slots_.get();
    const auto slot_of = [&](std::uint32_t w) -> slot& { return slots[w - team.begin]; };
    const branch mine = shape.branch_of(team, worker);
    for (std::uint32_t next = mine.begin + 1; next < mine.end;) {
      const branch child = shape.child_at(mine, next);
      slot& its = slot_of(child.begin);
      const std::uint64_t wanted = next_release(its);
      // (1) acquire; pairs with (3): what the child's branch did is visible
      if (!wait(its.joining, [&] { return its.arrived.load(sync::acquire) == wanted; })) return;
      next = child.end;
    }
    if (worker == team.begin) {
      last();
    } else if (!meet_leader(slot_of(worker), wait)) {
      return;
    }
    for (branch rest = mine; rest.size() > 1; rest.end = shape.last_child(rest).begin) {
      slot& its = slot_of(shape.last_child(rest).begin);
      // (5) release; pairs with (4): publishes what all did
      its.released.store(next_release(its), sync::release);
    }
    for (branch rest = mine; rest.size() > 1; rest.end = shape.last_child(rest).begin) {
      slot_of(shape.last_child(rest).begin).leaving.open();
    }
  }

  // Has waiting workers look again.
  void wake() {
    for (std::uint32_t i = 0; i < room_; ++i) {
      slots_[i].joining.open();
      slots_[i].leaving.open();
    }
  }

 private:
  // Each gate lies in the line of the word that its waiter watches.
  struct alignas(base::apart_bytes) slot {
    // written by the worker
    sync::atomic<std::uint64_t> arrived{0};
    park::gate joining;  // where its leader sleeps

    // written by its leader
    alignas(base::apart_bytes) sync::atomic<std::uint64_t> released{0};
    park::gate leaving;  // where the worker sleeps
  };

  // Called by the leader.
  static std::uint64_t next_release(const slot& its) {
    // (6) relaxed; alone: this thread has written it, or a leader of an earlier team
    return its.released.load(sync::relaxed) + 1;
  }

  template <class Wait>
  static bool meet_leader(slot& mine, Wait wait) {
    // (2) relaxed; alone: this thread has written it, or the slot's thread in an earlier team
    const std::uint64_t now = mine.arrived.load(sync::relaxed) + 1;
    // (3) release; pairs with (1): publishes what this branch did
    mine.arrived.store(now, sync::release);
    mine.joining.open();
    // (4) acquire; pairs with (5): what all did is visible
    return wait(mine.leaving, [&] { return mine.released.load(sync::acquire) == now; });
  }

  std::unique_ptr<slot[]> slots_;
  std::vector<std::unique_ptr<slot[]>> outgrown_;
  std::uint32_t room_ = 0;
};

}  // namespace doall::barrier
