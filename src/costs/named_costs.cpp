// The costs that a thread names for its next loop (doall_loop_costs_name).
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/sync.hpp"
#include "costs/loop_costs.hpp"

namespace doall::costs {
namespace {

// The costs named for this thread's next loop; size 0: none. `ever_named` is read first, for access
// to a thread-local variable is a call.
constinit thread_local doall_costs named{};
constinit sync::atomic<bool> ever_named{false};

}  // namespace

bool costs_are_named() {
  // (1) relaxed; alone: this thread's own naming is ordered by the program
  return ever_named.load(sync::relaxed) && named.size != 0;
}

bool take_named_costs(doall_costs& costs) {
  if (!costs_are_named()) return false;
  costs = named;
  named.size = 0;
  return true;
}

void name_costs(const doall_costs* costs) {
  named = {};
  if (costs == nullptr) return;
  std::memcpy(&named, costs, std::min<std::size_t>(costs->size, sizeof named));
  // (2) relaxed; alone: as (1)
  ever_named.store(true, sync::relaxed);
}

}  // namespace doall::costs
