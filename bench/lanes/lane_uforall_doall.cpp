// uforall in the native door's lane.
#include <doall/doall.hpp>

#include "lanes/uforall.hpp"

namespace doall::bench::uforall {
namespace {

std::vector<variant> doall_variants() {
  std::vector<variant> all;

#define UFORALL_SITE                                                               \
  [](loop_size s) {                                                                \
    doall::parallel_for(0, s.iterations,                                           \
                        [units = s.units](std::int64_t i) { iterate(i, units); }); \
  },
  all.push_back({"default",
                 {
#include "lanes/uforall_sites.inc"
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
#include "lanes/uforall_sites.inc"
                 }});
#undef UFORALL_SITE

  return all;
}

}  // namespace
}  // namespace doall::bench::uforall

int main() {
  doall::bench::serve_uforall(std::string("libdoall ") + doall_version(), doall_threads(),
                              doall::bench::uforall::doall_variants());
}
