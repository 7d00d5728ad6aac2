// In which shape a team is released and joined, and how it meets in a barrier: by the number of its
// workers, the NUMA domains that they are in, and whether they have CPUs of their own.
#pragma once

#include <cstdint>
#include <span>

#include "barrier/tree.hpp"

namespace doall::team {

// The tree of a team of that many workers, on a machine whose domains begin at those slots.
barrier::tree tree_for(std::uint32_t workers, std::span<const std::uint32_t> domain_starts,
                       bool crowded);

// The tree along which such a team meets in a full barrier, in a pool with that many threads at
// work; flat: arrivals are counted.
barrier::tree meeting_for(barrier::branch team, std::span<const std::uint32_t> domain_starts,
                          std::uint32_t threads_at_work);

}  // namespace doall::team
