// A loop over MPI ranks in virtual time: the desks, supplies, sources and parts of
// <doall/mpi.hpp>, which call the shipped schedules, with messages that take as long as they are
// told to.
//
// Each rank is a node of its own, as `mpirun` starts one a machine. A dealer serves one message
// after the other, in the order of their arrival: rank 0, and in a tree the heads of groups.
// Workers draw parts as in a rank's pool; that those who wait look for an answer only now and then
// is left out, and so is whatever shares the network.
#pragma once

#include <cstdint>

#include "schedule/grammar.hpp"
#include "sim/costs.hpp"

namespace doall::sim {

struct rank_prices {
  double message_ns = 2'000;  // one way
  double wish_ns = 500;       // of a dealer, for each wish, and for each block of its group
  double chunk_ns = 50;       // and for each chunk of the answer
  double part_ns = 50;        // of a worker, for each part
};

struct rank_loop {
  base::u64 iterations = 0;
  iteration_costs costs{};  // nanoseconds
  schedules::spec between{};
  schedules::spec inside{};
  std::uint32_t ranks = 1;
  std::uint32_t workers = 1;                      // a rank
  std::uint32_t group_nodes = ~std::uint32_t{0};  // fewer than ranks: a tree of dealers
  rank_prices prices{};
};

struct rank_outcome {
  double time_ns = 0;
  double ideal_ns = 0;  // all workers busy to the end, or the longest iteration
  std::uint32_t dealers = 1;
  double desk_busy = 0;  // rank 0's, part of the time
  double most_busy = 0;  // the busiest dealer's
  base::u64 wishes = 0;
  base::u64 chunks = 0;  // dealt to ranks
  base::u64 parts = 0;   // drawn by workers
};

// Throws std::invalid_argument, with the reason, for schedules that deal no chunks. O(parts times
// the logarithm of all workers).
rank_outcome simulate_ranks(const rank_loop& loop);

}  // namespace doall::sim
