// uforall in OpenMP's lane. One source: GCC's build runs on libgomp and, preloaded, on
// doall's libgomp.so.1; Clang's build runs on libomp.
//
//   lane-uforall-openmp-COMPILER SCHEDULE...     these alone
#include <omp.h>

#include <algorithm>

#include "lanes/openmp_runtime.hpp"
#include "lanes/uforall.hpp"

namespace doall::bench::uforall {
namespace {

std::vector<variant> omp_variants() {
  std::vector<variant> all;

#define UFORALL_SITE                                                                             \
  [](loop_size s) {                                                                              \
    _Pragma("omp parallel for schedule(static)") for (std::int64_t i = 0; i < s.iterations; ++i) \
        iterate(i, s.units);                                                                     \
  },
  all.push_back({"static",
                 {
#include "lanes/uforall_sites.inc"
                 }});
#undef UFORALL_SITE

#define UFORALL_SITE                                                                              \
  [](loop_size s) {                                                                               \
    _Pragma("omp parallel for schedule(runtime)") for (std::int64_t i = 0; i < s.iterations; ++i) \
        iterate(i, s.units);                                                                      \
  },
  all.push_back({"runtime",
                 {
#include "lanes/uforall_sites.inc"
                 }});
#undef UFORALL_SITE

  return all;
}

}  // namespace
}  // namespace doall::bench::uforall

int main(int argc, char** argv) {
  std::vector<doall::bench::uforall::variant> variants = doall::bench::uforall::omp_variants();
  std::erase_if(variants, [&](const auto& v) {
    return std::find(argv + 1, argv + argc, v.schedule) == argv + argc;
  });
  doall::bench::serve_uforall(doall::bench::openmp_library(), doall::bench::openmp_team_size(),
                              variants);
}
