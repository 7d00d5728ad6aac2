// The native door's lane.
#include <doall/doall.hpp>

#include "afs/lane.hpp"

int main(int argc, char** argv) {
  using namespace doall::bench;
  doall::schedule how;
  const auto door = [&](auto& kernel) { run_doall(kernel, how); };
  return serve(argc, argv,
               {.library = std::string("libdoall ") + doall_version(),
                .threads = doall_threads(),
                .use = [&](const std::string& text) { how = doall::schedule(text); },
                .programs = programs(door),
                .warm_up = warm_up_program(door)});
}
