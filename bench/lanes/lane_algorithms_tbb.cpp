// oneTBB's lane.
//
//   lane-algorithms-tbb THREADS CPU,CPU,...
#include <tbb/blocked_range.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>

#include <functional>

#include "lanes/algorithms_lane.hpp"
#include "lanes/tbb_arena.hpp"

namespace {

using namespace doall::bench;

template <class T>
void scan(std::span<const T> from, std::span<T> to) {
  const auto part = [=](const tbb::blocked_range<std::size_t>& part, T sum, bool is_final) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      sum += from[i];
      if (is_final) to[i] = sum;
    }
    return sum;
  };
  tbb::parallel_scan(tbb::blocked_range<std::size_t>(0, from.size()), T{}, part, std::plus<T>());
}

}  // namespace

int main(int, char** argv) {
  tbb_arena arena(argv);
  const auto sort = [](auto x) { tbb::parallel_sort(x.begin(), x.end()); };
  serve_algorithms({.library = tbb_arena::library(),
                    .threads = arena.threads(),
                    .offered = {{"default", sort, sort, sort, scan<int>, scan<double>}},
                    .enter = [&](const std::function<void()>& run) { arena.execute(run); }});
}
