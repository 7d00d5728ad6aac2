// Loop forms as a program of oneTBB writes them: for oneTBB's own lane, and once more through
// doall/compat.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/blocked_range2d.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <execution>
#include <functional>
#include <numeric>

#include "lanes/algorithms_lane.hpp"

namespace doall::bench {
namespace {

using tbb_indices = tbb::blocked_range<std::size_t>;
using tbb_square = tbb::blocked_range2d<std::size_t>;

template <class T>
void tbb_scan(std::span<const T> from, std::span<T> to) {
  const auto part = [=](const tbb_indices& part, T sum, bool is_final) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      sum += from[i];
      if (is_final) to[i] = sum;
    }
    return sum;
  };
  tbb::parallel_scan(tbb_indices(0, from.size()), T{}, part, std::plus<T>());
}

double tbb_sum(const int* x, std::size_t n, bool by_tasks) {
  if (n <= short_sum) return std::accumulate(x, x + n, 0.0);
  double a = 0;
  double b = 0;
  if (by_tasks) {
    tbb::task_group tasks;
    tasks.run([&] { a = tbb_sum(x, n / 2, true); });
    b = tbb_sum(x + n / 2, n - n / 2, true);
    tasks.wait();
  } else {
    tbb::parallel_invoke([&] { a = tbb_sum(x, n / 2, false); },
                         [&] { b = tbb_sum(x + n / 2, n - n / 2, false); });
  }
  return a + b;
}

template <class Each>
void tbb_each_of(std::size_t begin, std::size_t end, const Each& each) {
  tbb::parallel_for(tbb_square(begin, end, begin, end), [&](const tbb_square& tile) {
    for (std::size_t i = tile.rows().begin(); i != tile.rows().end(); ++i)
      for (std::size_t j = tile.cols().begin(); j != tile.cols().end(); ++j) each(i, j);
  });
}

template <class Reduce>
auto tbb_reduction(const Reduce& reduce) {
  return [=](work& w) {
    w.sum = reduce(
        tbb_indices(0, w.a.size()), 0.0,
        [&](const tbb_indices& part, double sum) {
          for (std::size_t i = part.begin(); i != part.end(); ++i) sum += w.a[i];
          return sum;
        },
        std::plus<double>());
  };
}

forms tbb_loop_forms() {
  return {
      {"for",
       [](work& w) {
         tbb::parallel_for(std::size_t{0}, w.c.size(),
                           [&](std::size_t i) { w.c[i] = 2 * w.a[i] + w.b[i]; });
       }},
      {"for-range",
       [](work& w) {
         tbb::parallel_for(tbb_indices(0, w.c.size()), [&](const tbb_indices& part) {
           for (std::size_t i = part.begin(); i != part.end(); ++i) w.c[i] = 2 * w.a[i] + w.b[i];
         });
       }},
      {"nested-for",
       [](work& w) {
         tbb::parallel_for(std::size_t{0}, w.side, [&](std::size_t row) {
           tbb::parallel_for(row * w.side, (row + 1) * w.side,
                             [&](std::size_t i) { w.c[i] = 2 * w.a[i] + w.b[i]; });
         });
       }},
      {"for-each", [](work& w) { tbb::parallel_for_each(w.c, [](double& x) { x += 1; }); }},
      {"reduce", tbb_reduction([](const auto&... all) { return tbb::parallel_reduce(all...); })},
      {"reduce-fixed", tbb_reduction([](const auto& range, const auto&... all) {
         return tbb::parallel_deterministic_reduce(tbb_indices(0, range.size(), 4096), all...);
       })},
      {"invoke", [](work& w) { w.sum = tbb_sum(w.numbers.data(), w.numbers.size(), false); }},
      {"tasks", [](work& w) { w.sum = tbb_sum(w.numbers.data(), w.numbers.size(), true); }},
      {"transpose",
       [](work& w) {
         tbb_each_of(0, w.side, [&w, n = w.side](std::size_t i, std::size_t j) {
           w.b[i * n + j] = w.a[j * n + i];
         });
       }},
      {"stencil",
       [](work& w) {
         tbb_each_of(1, w.side - 1, [&w, n = w.side](std::size_t i, std::size_t j) {
           const std::size_t at = i * n + j;
           w.b[at] = (w.a[at - 1] + w.a[at + 1] + w.a[at - n] + w.a[at + n]) / 4;
         });
       }},
      {"product",
       [](work& w) {
         tbb_each_of(0, w.side, [&w, n = w.side](std::size_t i, std::size_t j) {
           double all = 0;
           for (std::size_t k = 0; k < n; ++k) all += w.a[i * n + k] * w.b[k * n + j];
           w.c[i * n + j] = all;
         });
       }},
  };
}

// The standard's, on whatever answers to oneTBB's names.
forms standard_forms() {
  using std::execution::par;
  return {
      {"std-for-each",
       [](work& w) { std::for_each(par, w.c.begin(), w.c.end(), [](double& x) { x += 1; }); }},
      {"std-reduce", [](work& w) { w.sum = std::reduce(par, w.a.begin(), w.a.end()); }},
      {"std-find",
       [](work& w) {
         w.found = static_cast<std::size_t>(std::find(par, w.numbers.begin(), w.numbers.end(), -1) -
                                            w.numbers.begin());
       }},
      {"std-sort", [](work& w) { std::sort(par, w.numbers.begin(), w.numbers.end()); }},
      {"std-stable-sort",
       [](work& w) {
         std::stable_sort(par, w.pairs.begin(), w.pairs.end(),
                          [](const auto& a, const auto& b) { return a.first < b.first; });
       }},
      {"std-scan",
       [](work& w) {
         std::transform_inclusive_scan(par, w.numbers.begin(), w.numbers.end(), w.results.begin(),
                                       std::plus<>(), [](int x) { return x % 16; });
       }},
      {"std-merge",
       [](work& w) {
         const auto middle = w.numbers.begin() + static_cast<std::ptrdiff_t>(w.numbers.size() / 2);
         std::merge(par, w.numbers.begin(), middle, middle, w.numbers.end(), w.results.begin());
       }},
  };
}

algorithms tbb_algorithms(const std::string& name) {
  const auto sort = [](auto x) { tbb::parallel_sort(x.begin(), x.end()); };
  algorithms made{name, sort, sort, sort, tbb_scan<int>, tbb_scan<double>, tbb_loop_forms()};
  made.more.merge(standard_forms());
  return made;
}

}  // namespace
}  // namespace doall::bench
