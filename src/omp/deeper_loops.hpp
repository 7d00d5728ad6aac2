// Where a region's loops lie for which its ring has no room, since one thread is far behind.
//
// The thread that finds no room moves the loops on (loops/loop_ring.hpp): from its next loop on
// they lie in a ring twice as deep, and from there perhaps in the next one. Every thread of the
// team comes to the same loop, learns from the ring that it has moved, and follows. So threads that
// are far apart are in different rings, and none waits for another.
//
// State: a list of rings (grown_list.hpp), the region's own first. Whoever comes first adds the
// next one. After the join the region keeps the deepest of them as its own, so its next run finds
// the room that this one needed. Cost: nothing for regions whose threads stay near each other.
#pragma once

#include <cstdint>
#include <memory>

#include "omp/grown_list.hpp"
#include "omp/state.hpp"

namespace doall::omp {

struct deeper_loops {
  deeper_loops(std::uint32_t depth, std::uint32_t workers, std::uint64_t first)
      : ring(std::make_unique<team::loop_ring>(depth, workers, first)),
        extras(std::make_unique<loop_extra[]>(depth)) {}

  std::unique_ptr<team::loop_ring> ring;
  std::unique_ptr<loop_extra[]> extras;
  sync::atomic<deeper_loops*> next{nullptr};
};

// Calls see(ring, extras) for each ring that the region's loops lie in.
template <class See>
void for_all_rings(region& r, See see) {
  if (r.loops == nullptr) return;
  see(*r.loops, r.extras);
  for (deeper_loops* d = behind(r.deeper); d != nullptr; d = behind(d->next))
    see(*d->ring, d->extras.get());
}

// The thread's next loop, and all after it, lie in the next ring.
void go_deeper(task_state& me);

// Called by the leader after the join, with the number of the next region's first loop; unless the
// region was cancelled: its rings have numbers of their own.
void keep_deepest(region& r, std::uint64_t next_loop, bool was_cancelled);

}  // namespace doall::omp
