// The native door's lane.
//
//   cows-lane-doall SIZE [FOLDER]     of the graphs' files
#include <doall/doall.hpp>

#include "kernels/cows-common/programs.hpp"
#include "kernels/lane.hpp"

int main(int argc, char** argv) {
  using namespace doall::bench;
  std::string how = "static";
  const auto door = [&how](auto& kernel) { run_doall(kernel, how); };
  const std::string size_name = argc > 1 ? argv[1] : "";
  const size s = size_name == "small" ? size::small : size::paper;
  return serve(size_name, {.library = std::string("libdoall ") + doall_version(),
                           .threads = doall_threads(),
                           .use = [&how](const std::string& text) { how = text; },
                           .programs = cows_programs(
                               door, every_graph(s, find_graphs(argc > 2 ? argv[2] : ""))),
                           .warm_up = cows_warm_up(door),
                           .schedules = [](const program&) { return cows_schedules(); }});
}
