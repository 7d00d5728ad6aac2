// The lane of libstdc++'s parallel mode, whose loops are OpenMP's: by merging, which needs as much
// memory again, and by quicksort.
#include <parallel/algorithm>
#include <parallel/numeric>

#include "lanes/algorithms_lane.hpp"
#include "lanes/openmp_runtime.hpp"

namespace {

using namespace doall::bench;

template <class Tag>
algorithms by(const std::string& name) {
  const auto sort = [](auto x) { __gnu_parallel::sort(x.begin(), x.end(), Tag()); };
  const auto scan = [](auto from, auto to) {
    __gnu_parallel::partial_sum(from.begin(), from.end(), to.begin());
  };
  return {name, sort, sort, sort, scan, scan};
}

}  // namespace

int main() {
  serve_algorithms({.library = openmp_library(),
                    .threads = openmp_team_size(),
                    .offered = {by<__gnu_parallel::multiway_mergesort_tag>("merging"),
                                by<__gnu_parallel::balanced_quicksort_tag>("quicksort")}});
}
