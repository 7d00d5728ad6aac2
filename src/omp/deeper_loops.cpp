#include "omp/deeper_loops.hpp"

#include <utility>

#include "omp/region.hpp"

namespace doall::omp {

void go_deeper(task_state& me) {
  region& r = *me.team;
  sync::atomic<deeper_loops*>& next = me.deeper != nullptr ? me.deeper->next : r.deeper;
  deeper_loops* found = behind(next);
  if (found == nullptr) {
    const std::uint32_t depth = me.deeper != nullptr ? me.deeper->ring->depth() : r.loops->depth();
    found = add_behind(next, std::make_unique<deeper_loops>(2 * depth, r.size, me.loop.at.number));
  }
  me.deeper = found;
}

void keep_deepest(region& r, std::uint64_t next_loop, bool was_cancelled) {
  // Looks before it writes: the workers have the line.
  const auto take = [](sync::atomic<deeper_loops*>& at) {
    // (1) relaxed; alone: the join has ordered it
    std::unique_ptr<deeper_loops> found(at.load(sync::relaxed));
    // (2) relaxed; alone: as (1)
    if (found != nullptr) at.store(nullptr, sync::relaxed);
    return found;
  };
  std::unique_ptr<deeper_loops> deepest = take(r.deeper);
  if (deepest == nullptr) return;
  // Native loops and other regions use it: it has room again.
  if (!was_cancelled) r.loops->abandon([](std::uint32_t) {});
  while (std::unique_ptr<deeper_loops> next = take(deepest->next)) deepest = std::move(next);
  if (!was_cancelled) deepest->ring->next = next_loop;
  r.own_loops = std::move(deepest->ring);
  r.own_extras = std::move(deepest->extras);
}

}  // namespace doall::omp
