#include "kernels/uforall/runtimes.hpp"

namespace doall::bench::uforall {

std::vector<variant> omp_variants() {
  std::vector<variant> all;

#define UFORALL_SITE                                                                             \
  [](loop_size s) {                                                                              \
    _Pragma("omp parallel for schedule(static)") for (std::int64_t i = 0; i < s.iterations; ++i) \
        iterate(i, s.units);                                                                     \
  },
  all.push_back({"static",
                 {
#include "kernels/uforall/sites.inc"
                 }});
#undef UFORALL_SITE

#define UFORALL_SITE                                                                              \
  [](loop_size s) {                                                                               \
    _Pragma("omp parallel for schedule(runtime)") for (std::int64_t i = 0; i < s.iterations; ++i) \
        iterate(i, s.units);                                                                      \
  },
  all.push_back({"runtime",
                 {
#include "kernels/uforall/sites.inc"
                 }});
#undef UFORALL_SITE

  return all;
}

}  // namespace doall::bench::uforall
