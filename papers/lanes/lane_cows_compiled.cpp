// COWS's programs in C with the costs that doall's plugin finds, and without its optimisations: the
// object cows_programs.c once for each setting (cows_compiled.hpp).
//
//   lane-cows-compiled SIZE [FOLDER]     of the graphs' files
#include "kernels/harness.hpp"
#include "lanes/cows_compiled.hpp"
#include "lanes/lane.hpp"
#include "lanes/openmp_runtime.hpp"

namespace {

using namespace doall::bench;

const cows_program_set* programs_now = &cows_programs_all;

// Throws std::invalid_argument for what is no setting.
void use_setting(const std::string& text) {
  const compiled_setting& found = compiled_setting_of(text);
  programs_now = found.programs;
  use_openmp_schedule(found.schedule);
}

}  // namespace

int main(int argc, char** argv) {
  const auto door = [](auto& kernel) { run_omp(kernel, *programs_now); };
  const std::string size_name = argc > 1 ? argv[1] : "";
  const size s = size_of(size_name);
  return serve_lane(size_name, {.library = openmp_library(),
                                .threads = openmp_team_size(),
                                .use = use_setting,
                                .programs = cows_programs(
                                    door, every_graph(s, find_graphs(argc > 2 ? argv[2] : ""))),
                                .warm_up = cows_warm_up(door),
                                .schedules = [](const program&) { return wsrw_settings(); }});
}
