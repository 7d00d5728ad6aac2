// The native door's lane, and oneTBB's forms through doall/compat.
#include <doall/doall.hpp>

#include <functional>
#include <numeric>
#include <string>

#include "lanes/algorithms_lane.hpp"

namespace doall::bench {

algorithms compat_algorithms();

namespace {

double sum_of(const int* x, std::size_t n, bool by_tasks) {
  if (n <= short_sum) return std::accumulate(x, x + n, 0.0);
  double a = 0;
  double b = 0;
  if (by_tasks) {
    task_group tasks;
    tasks.run([&] { a = sum_of(x, n / 2, true); });
    b = sum_of(x + n / 2, n - n / 2, true);
    tasks.wait();
  } else {
    parallel_invoke([&] { a = sum_of(x, n / 2, false); },
                    [&] { b = sum_of(x + n / 2, n - n / 2, false); });
  }
  return a + b;
}

forms native_forms() {
  const auto sum = [](work& w) { w.sum = parallel_reduce(w.a, 0.0, std::plus<>{}); };
  return {
      {"for",
       [](work& w) {
         parallel_for(std::size_t{0}, w.c.size(),
                      [&](std::size_t i) { w.c[i] = 2 * w.a[i] + w.b[i]; });
       }},
      {"for-range",
       [](work& w) {
         parallel_for(std::size_t{0}, w.c.size(), [&](const range<std::size_t>& part) {
           for (std::size_t i = part.first(); i < part.last(); ++i) w.c[i] = 2 * w.a[i] + w.b[i];
         });
       }},
      {"nested-for",
       [](work& w) {
         parallel_for(std::size_t{0}, w.side, [&](std::size_t row) {
           parallel_for(row * w.side, (row + 1) * w.side,
                        [&](std::size_t i) { w.c[i] = 2 * w.a[i] + w.b[i]; });
         });
       }},
      {"for-each", [](work& w) { parallel_for_each(w.c, [](double& x) { x += 1; }); }},
      {"reduce", sum},
      {"reduce-fixed", sum},
      {"invoke", [](work& w) { w.sum = sum_of(w.numbers.data(), w.numbers.size(), false); }},
      {"tasks", [](work& w) { w.sum = sum_of(w.numbers.data(), w.numbers.size(), true); }},
      {"find",
       [](work& w) {
         w.found = static_cast<std::size_t>(parallel_find(w.numbers, -1) - w.numbers.begin());
       }},
      {"pack",
       [](work& w) {
         w.found = parallel_pack(w.numbers, w.results.begin(), [](int x) { return x < half; });
       }},
      {"stable-sort",
       [](work& w) {
         parallel_stable_sort(w.pairs,
                              [](const auto& a, const auto& b) { return a.first < b.first; });
       }},
      {"transpose",
       [](work& w) {
         parallel_for(space(w.side, w.side), [&w, n = w.side](std::size_t i, std::size_t j) {
           w.b[i * n + j] = w.a[j * n + i];
         });
       }},
      {"stencil",
       [](work& w) {
         const range<std::size_t> inner(1, w.side - 1);
         parallel_for(space(inner, inner), [&w, n = w.side](std::size_t i, std::size_t j) {
           const std::size_t at = i * n + j;
           w.b[at] = (w.a[at - 1] + w.a[at + 1] + w.a[at - n] + w.a[at + n]) / 4;
         });
       }},
      {"product",
       [](work& w) {
         parallel_for(space(w.side, w.side), [&w, n = w.side](std::size_t i, std::size_t j) {
           double all = 0;
           for (std::size_t k = 0; k < n; ++k) all += w.a[i * n + k] * w.b[k * n + j];
           w.c[i * n + j] = all;
         });
       }},
  };
}

}  // namespace
}  // namespace doall::bench

int main() {
  using namespace doall::bench;
  const auto sort = [](auto x) { doall::parallel_sort(x); };
  serve_algorithms({.library = std::string("libdoall ") + doall_version(),
                    .threads = doall_threads(),
                    .offered = {{"default", sort, sort, sort,
                                 [](std::span<const int> from, std::span<int> to) {
                                   doall::parallel_scan(from, to.begin(), 0, std::plus<>());
                                 },
                                 [](std::span<const double> from, std::span<double> to) {
                                   doall::parallel_scan(from, to.begin(), 0.0, std::plus<>());
                                 },
                                 native_forms()},
                                compat_algorithms()}});
}
