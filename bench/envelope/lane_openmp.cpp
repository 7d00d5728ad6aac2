// OpenMP's lane. One source: GCC's build runs on libgomp and, preloaded, on
// doall's libgomp.so.1; Clang's build runs on libomp.
//
//   envelope-lane-openmp-COMPILER SCHEDULE...     these alone
#include <omp.h>

#include <algorithm>

#include "common/openmp_facts.hpp"
#include "envelope/lane.hpp"
#include "kernels/uforall/runtimes.hpp"

int main(int argc, char** argv) {
  std::vector<doall::bench::uforall::variant> variants = doall::bench::uforall::omp_variants();
  std::erase_if(variants, [&](const auto& v) {
    return std::find(argv + 1, argv + argc, v.schedule) == argv + argc;
  });
  doall::bench::serve(doall::bench::openmp_library(), doall::bench::openmp_team_size(), variants);
}
