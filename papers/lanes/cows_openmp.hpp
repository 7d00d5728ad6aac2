// What the lanes of COWS's programs in C have in common.
#pragma once

#include <string>

#include "kernels/cows_programs.hpp"
#include "kernels/harness.hpp"
#include "lanes/lane.hpp"
#include "lanes/openmp_runtime.hpp"

namespace doall::bench {

// main(SIZE, [FOLDER of the graphs' files]). `now`: the programs that run from now on, which
// `use` sets.
template <class Use, class Schedules>
int serve_cows_programs(int argc, char** argv, const cows_program_set* const& now, const Use& use,
                        const Schedules& schedules) {
  const auto door = [&now](auto& kernel) { run_omp(kernel, *now); };
  const std::string size_name = argc > 1 ? argv[1] : "";
  const std::string folder = argc > 2 ? argv[2] : "";
  return serve_lane(size_name, {.library = openmp_library(),
                                .threads = openmp_team_size(),
                                .use = use,
                                .programs = cows_programs(
                                    door, every_graph(size_of(size_name), find_graphs(folder))),
                                .warm_up = cows_warm_up(door),
                                .schedules = schedules});
}

}  // namespace doall::bench
