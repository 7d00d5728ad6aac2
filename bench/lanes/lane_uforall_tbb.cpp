// uforall in oneTBB's lane.
//
//   lane-uforall-tbb THREADS CPU,CPU,...
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "lanes/tbb_arena.hpp"
#include "lanes/uforall.hpp"

namespace doall::bench::uforall {
namespace {

// A partitioner a site: the affinity partitioner remembers who ran what.
template <class Partitioner>
variant variant_of(const char* name) {
#define UFORALL_SITE                                                                  \
  [](loop_size s) {                                                                   \
    static Partitioner partitioner;                                                   \
    tbb::parallel_for(                                                                \
        tbb::blocked_range<std::int64_t>(0, s.iterations),                            \
        [units = s.units](const tbb::blocked_range<std::int64_t>& part) {             \
          for (std::int64_t i = part.begin(); i < part.end(); ++i) iterate(i, units); \
        },                                                                            \
        partitioner);                                                                 \
  },
  return {name,
          {
#include "lanes/uforall_sites.inc"
          }};
#undef UFORALL_SITE
}

}  // namespace

std::vector<variant> tbb_variants() {
  return {variant_of<tbb::static_partitioner>("static_partitioner"),
          variant_of<tbb::auto_partitioner>("auto_partitioner"),
          variant_of<tbb::affinity_partitioner>("affinity_partitioner")};
}

}  // namespace doall::bench::uforall

int main(int, char** argv) {
  doall::bench::tbb_arena arena(argv);
  std::vector<doall::bench::uforall::variant> variants = doall::bench::uforall::tbb_variants();
  for (auto& v : variants) {
    v.enter = [&arena](const std::function<void()>& run) { arena.execute(run); };
  }
  doall::bench::serve_uforall(doall::bench::tbb_arena::library(), arena.threads(), variants);
}
