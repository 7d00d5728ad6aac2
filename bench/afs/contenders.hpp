// Who takes part, and under which schedules.
#pragma once

#include <string>
#include <vector>

#include "common/contenders.hpp"

namespace doall::bench {

const std::vector<std::string>& afs_runtimes();

// doall's doors, of which the first takes part unless others are asked for.
const std::vector<std::string>& afs_doors();

// Starts the lanes, on kernels of that size. Throws lane_error when there are none.
contenders start_afs_lanes(const contest& c, const std::vector<std::string>& doors,
                           const std::string& size);

// A contender under one schedule.
struct entrant {
  const contender* who;
  std::string schedule;

  bool is_ours() const { return who->runtime == "doall"; }

  // Whether the schedule uses what the program says of its iterations' costs, which
  // no peer can be told.
  bool is_told_costs() const;
};

// All of them for that program: everybody under OpenMP's kinds with a few chunk sizes,
// ours under every schedule of the registry too.
std::vector<entrant> entrants_of(const std::string& program, const std::vector<contender>& present);

// The same for a loop that one worker comes late to, with the paper's k = 2 beside
// affinity's default.
std::vector<entrant> late_entrants(const std::vector<contender>& present);

}  // namespace doall::bench
