// OpenMP's lane, schedule(static). One source: GCC's build runs on libgomp and,
// preloaded, on doall's libgomp.so.1; Clang's build runs on libomp.
#include "common/openmp_facts.hpp"
#include "kernels/uforall/runtimes.hpp"
#include "neighbour/lane.hpp"

int main() {
  std::vector<doall::bench::uforall::variant> variants = doall::bench::uforall::omp_variants();
  std::erase_if(variants, [](const auto& v) { return v.schedule != "static"; });
  doall::bench::serve(doall::bench::openmp_library(), doall::bench::openmp_team_size(), variants);
}
