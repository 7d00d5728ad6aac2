// The native door's lane.
#include <doall/doall.hpp>

#include <functional>
#include <string>

#include "lanes/algorithms_lane.hpp"

int main() {
  const auto sort = [](auto x) { doall::parallel_sort(x); };
  doall::bench::serve_algorithms(
      {.library = std::string("libdoall ") + doall_version(),
       .threads = doall_threads(),
       .offered = {{"default", sort, sort, sort,
                    [](std::span<const int> from, std::span<int> to) {
                      doall::parallel_scan(from, to.begin(), 0, std::plus<>());
                    },
                    [](std::span<const double> from, std::span<double> to) {
                      doall::parallel_scan(from, to.begin(), 0.0, std::plus<>());
                    }}}});
}
