// OpenMP's lane. One source: GCC's build runs on libgomp and, preloaded, on
// doall's libgomp.so.1; Clang's build runs on libomp.
//
//   lane-burden-openmp-COMPILER                  the loops that every OpenMP runtime knows
//   lane-burden-openmp-COMPILER static           the first of these alone
//   lane-burden-openmp-COMPILER runtime:NAME     schedule(runtime) alone, as OMP_SCHEDULE=NAME
//                                                sets it
#include <omp.h>

#include "lanes/burden_lane.hpp"
#include "lanes/openmp_runtime.hpp"

namespace {

using doall::bench::iterations;
using doall::bench::kernel;
using doall::bench::make_kernel;

constexpr auto static_loop = [](auto body) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < iterations; ++i) decltype(body)::run(i);
};

constexpr auto dynamic_loop = [](auto body) {
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < iterations; ++i) decltype(body)::run(i);
};

constexpr auto guided_loop = [](auto body) {
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < iterations; ++i) decltype(body)::run(i);
};

constexpr auto runtime_loop = [](auto body) {
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < iterations; ++i) decltype(body)::run(i);
};

// Chunk 0: the kind's default.
kernel runtime_kernel(const std::string& name, omp_sched_t kind, int chunk) {
  return make_kernel("runtime:" + name, runtime_loop,
                     [kind, chunk] { omp_set_schedule(kind, chunk); });
}

std::vector<kernel> kernels_for(int argc, char** argv) {
  if (argc > 1) {
    const std::string name = argv[1];
    return {name == "static" ? make_kernel(name, static_loop) : make_kernel(name, runtime_loop)};
  }
  return {
      make_kernel("static", static_loop),
      make_kernel("dynamic,1", dynamic_loop),
      make_kernel("guided", guided_loop),
      runtime_kernel("static", omp_sched_static, 0),
      runtime_kernel("dynamic,1", omp_sched_dynamic, 1),
      runtime_kernel("guided", omp_sched_guided, 0),
  };
}

}  // namespace

int main(int argc, char** argv) {
  doall::bench::serve_burden(doall::bench::openmp_library(), doall::bench::openmp_team_size(),
                             kernels_for(argc, argv));
}
