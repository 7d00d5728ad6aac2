// The native door's lane.
#include <doall/doall.hpp>

#include "kernels/lane.hpp"

int main(int argc, char** argv) {
  using namespace doall::bench;
  doall::schedule how;
  const auto door = [&](auto& kernel) { run_doall(kernel, how); };
  return serve(argc > 1 ? argv[1] : "",
               {.library = std::string("libdoall ") + doall_version(),
                .threads = doall_threads(),
                .use = [&](const std::string& text) { how = doall::schedule(text); },
                .programs = programs(door),
                .warm_up = warm_up_program(door)});
}
