// The lane of libstdc++'s parallel mode, whose loops are OpenMP's: by merging, which needs as much
// memory again, and by quicksort.
#include <parallel/algorithm>
#include <parallel/numeric>

#include "lanes/algorithms_lane.hpp"
#include "lanes/openmp_runtime.hpp"

namespace {

using namespace doall::bench;

// OpenMP's own loops; a space by `collapse`.
forms openmp_forms() {
  return {
      {"for",
       [](work& w) {
         const std::size_t n = w.c.size();
#pragma omp parallel for
         for (std::size_t i = 0; i < n; ++i) w.c[i] = 2 * w.a[i] + w.b[i];
       }},
      {"reduce",
       [](work& w) {
         const std::size_t n = w.a.size();
         double sum = 0;
#pragma omp parallel for reduction(+ : sum)
         for (std::size_t i = 0; i < n; ++i) sum += w.a[i];
         w.sum = sum;
       }},
      {"find",
       [](work& w) {
         w.found = static_cast<std::size_t>(
             __gnu_parallel::find(w.numbers.begin(), w.numbers.end(), -1) - w.numbers.begin());
       }},
      {"stable-sort",
       [](work& w) {
         __gnu_parallel::stable_sort(
             w.pairs.begin(), w.pairs.end(),
             [](const auto& a, const auto& b) { return a.first < b.first; });
       }},
      {"transpose",
       [](work& w) {
         const std::size_t n = w.side;
#pragma omp parallel for collapse(2)
         for (std::size_t i = 0; i < n; ++i)
           for (std::size_t j = 0; j < n; ++j) w.b[i * n + j] = w.a[j * n + i];
       }},
      {"stencil",
       [](work& w) {
         const std::size_t n = w.side;
#pragma omp parallel for collapse(2)
         for (std::size_t i = 1; i < n - 1; ++i) {
           for (std::size_t j = 1; j < n - 1; ++j) {
             const std::size_t at = i * n + j;
             w.b[at] = (w.a[at - 1] + w.a[at + 1] + w.a[at - n] + w.a[at + n]) / 4;
           }
         }
       }},
      {"product",
       [](work& w) {
         const std::size_t n = w.side;
#pragma omp parallel for collapse(2)
         for (std::size_t i = 0; i < n; ++i) {
           for (std::size_t j = 0; j < n; ++j) {
             double all = 0;
             for (std::size_t k = 0; k < n; ++k) all += w.a[i * n + k] * w.b[k * n + j];
             w.c[i * n + j] = all;
           }
         }
       }},
  };
}

template <class Tag>
algorithms by(const std::string& name) {
  const auto sort = [](auto x) { __gnu_parallel::sort(x.begin(), x.end(), Tag()); };
  const auto scan = [](auto from, auto to) {
    __gnu_parallel::partial_sum(from.begin(), from.end(), to.begin());
  };
  return {name, sort, sort, sort, scan, scan, openmp_forms()};
}

}  // namespace

int main() {
  serve_algorithms({.library = openmp_library(),
                    .threads = openmp_team_size(),
                    .offered = {by<__gnu_parallel::multiway_mergesort_tag>("merging"),
                                by<__gnu_parallel::balanced_quicksort_tag>("quicksort")}});
}
