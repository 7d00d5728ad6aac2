// oneTBB's lane.
//
//   neighbour-lane-tbb THREADS CPU,CPU,...
#include "common/tbb_arena.hpp"
#include "kernels/uforall/runtimes.hpp"
#include "neighbour/lane.hpp"

int main(int, char** argv) {
  doall::bench::tbb_arena arena(argv);
  std::vector<doall::bench::uforall::variant> variants = doall::bench::uforall::tbb_variants();
  for (auto& v : variants) {
    v.enter = [&arena](const std::function<void()>& run) { arena.execute(run); };
  }
  doall::bench::serve(doall::bench::tbb_arena::library(), arena.threads(), variants);
}
