// OpenMP's lane. One source: GCC's build runs on libgomp and, preloaded, on
// doall's libgomp.so.1; Clang's build runs on libomp.
//
//   envelope-lane-openmp-COMPILER SCHEDULE...     these alone
#include <dlfcn.h>
#include <omp.h>

#include <algorithm>

#include "envelope/lane.hpp"
#include "kernels/uforall/runtimes.hpp"

namespace {

// The file that the dynamic linker took.
std::string library() {
  Dl_info info{};
  return dladdr(reinterpret_cast<void*>(&omp_get_num_threads), &info) != 0 ? info.dli_fname : "?";
}

unsigned team_size() {
  int size = 0;
#pragma omp parallel
#pragma omp single
  size = omp_get_num_threads();
  return static_cast<unsigned>(size);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<doall::bench::uforall::variant> variants = doall::bench::uforall::omp_variants();
  std::erase_if(variants, [&](const auto& v) {
    return std::find(argv + 1, argv + argc, v.schedule) == argv + argc;
  });
  doall::bench::serve(library(), team_size(), variants);
}
