// OpenMP's lane, in the two ways in which a user would write a nest: `outer`, nesting off, the
// outermost loop shared, as each standard schedule deals it; and `taskloop`. One source: GCC's
// build runs on libgomp and, preloaded, on doall's libgomp.so.1; Clang's build runs on libomp.
//
//   lbs-lane-openmp-COMPILER SIZE
#include "common/openmp_facts.hpp"
#include "common/openmp_schedule.hpp"
#include "kernels/lane.hpp"
#include "kernels/nested_programs.hpp"

int main(int argc, char** argv) {
  using namespace doall::bench;
  const std::string outer = "outer,";
  bool in_tasks = false;
  const auto use = [&](const std::string& text) {
    in_tasks = text == "taskloop";
    if (in_tasks) return;
    if (!text.starts_with(outer)) throw std::invalid_argument("no way to run a nest: " + text);
    use_openmp_schedule(text.substr(outer.size()));
  };
  const auto door = [&in_tasks](auto& kernel) {
    in_tasks ? run_omp_taskloop(kernel) : run_omp_outer(kernel);
  };
  const auto schedules = [](const program&) {
    return std::vector<std::string>{"outer,static", "outer,dynamic", "outer,guided", "taskloop"};
  };
  return serve(argc > 1 ? argv[1] : "", {.library = openmp_library(),
                                         .threads = openmp_team_size(),
                                         .use = use,
                                         .programs = nested_programs(door),
                                         .warm_up = nested_warm_up(door),
                                         .schedules = schedules});
}
