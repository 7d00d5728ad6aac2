#include <doall/doall.hpp>

#include "kernels/uforall/runtimes.hpp"

namespace doall::bench::uforall {

std::vector<variant> doall_variants() {
  std::vector<variant> all;

#define UFORALL_SITE                                                               \
  [](loop_size s) {                                                                \
    doall::parallel_for(0, s.iterations,                                           \
                        [units = s.units](std::int64_t i) { iterate(i, units); }); \
  },
  all.push_back({"default",
                 {
#include "kernels/uforall/sites.inc"
                 }});
#undef UFORALL_SITE

  static const doall::schedule in_equal_parts("static");
#define UFORALL_SITE                                                               \
  [](loop_size s) {                                                                \
    doall::parallel_for(                                                           \
        0, s.iterations, [units = s.units](std::int64_t i) { iterate(i, units); }, \
        in_equal_parts);                                                           \
  },
  all.push_back({"static",
                 {
#include "kernels/uforall/sites.inc"
                 }});
#undef UFORALL_SITE

  return all;
}

}  // namespace doall::bench::uforall
