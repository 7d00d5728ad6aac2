// oneTBB's lane.
//
//   lane-algorithms-tbb THREADS CPU,CPU,...
#include "lanes/tbb_arena.hpp"
#include "lanes/tbb_forms.hpp"

int main(int, char** argv) {
  using namespace doall::bench;
  tbb_arena arena(argv);
  serve_algorithms({.library = tbb_arena::library(),
                    .threads = arena.threads(),
                    .offered = {tbb_algorithms("default")},
                    .enter = [&](const std::function<void()>& run) { arena.execute(run); }});
}
