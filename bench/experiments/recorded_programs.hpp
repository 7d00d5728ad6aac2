// The programs that `prediction` and `recording` run under any schedule on lane-kernels-doall:
// those whose loops go by the schedule, and stand in no other loop.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "driver/experiment.hpp"

namespace doall::bench {

// A program of a lane's experiment.
struct recorded_program {
  const char* experiment;
  const char* name;
};

inline constexpr const char* recorded_lane = "lane-kernels-doall";
inline constexpr const char* recorded_experiments[] = {"afs", "programs"};
inline constexpr recorded_program recorded_programs[] = {{"afs", "sor"},
                                                         {"afs", "gauss"},
                                                         {"afs", "transitive-closure-random"},
                                                         {"afs", "transitive-closure-skewed"},
                                                         {"afs", "adjoint-convolution"},
                                                         {"afs", "l4"},
                                                         {"afs", "triangular"},
                                                         {"afs", "parabolic"},
                                                         {"afs", "head-heavy"},
                                                         {"programs", "advection"},
                                                         {"programs", "lattice-boltzmann"},
                                                         {"programs", "hydro"}};

// Those that are wanted (chosen_of).
inline std::vector<recorded_program> chosen_programs(const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  for (const recorded_program& p : recorded_programs) names.emplace_back(p.name);
  std::vector<recorded_program> some;
  for (const std::string& name : chosen_of(names, wanted))
    some.push_back(*std::ranges::find(recorded_programs, name, &recorded_program::name));
  return some;
}

}  // namespace doall::bench
