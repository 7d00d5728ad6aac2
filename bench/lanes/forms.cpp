#include "lanes/forms.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "base/rng.hpp"

namespace doall::bench {
namespace {

bool first_less(const std::pair<int, int>& a, const std::pair<int, int>& b) {
  return a.first < b.first;
}

}  // namespace

// Whole numbers, so that sums of doubles are exact in any order.
work work_for(const std::string& form, std::size_t elements) {
  base::rng random(1);
  work w;
  const auto reals = [&](std::size_t n) {
    std::vector<double> made(n);
    for (double& x : made) x = static_cast<double>(random.below(1000));
    return made;
  };
  const auto numbers = [&](std::size_t n) {
    std::vector<int> made(n);
    for (int& x : made) x = static_cast<int>(random.below(std::uint64_t{1} << 31));
    return made;
  };
  const bool is_product = form == "product";
  if (is_product || form == "transpose" || form == "stencil" || form == "nested-for") {
    const auto n = static_cast<double>(elements);
    w.side = static_cast<std::size_t>(is_product ? std::cbrt(n) : std::sqrt(n));
    w.a = reals(w.side * w.side);
    w.b = reals(w.side * w.side);
    w.c.resize(w.side * w.side);
  } else if (form.starts_with("for") || form == "std-for-each") {
    w.a = reals(elements);
    w.b = reals(elements);
    w.c.resize(elements);
  } else if (form.ends_with("reduce") || form == "reduce-fixed") {
    w.a = reals(elements);
  } else if (form.ends_with("stable-sort")) {
    for (const int x : numbers(elements))
      w.pairs.emplace_back(x % 1000, static_cast<int>(w.pairs.size()));
  } else if (form == "std-merge") {
    w.numbers = numbers(elements);
    const auto middle = w.numbers.begin() + static_cast<std::ptrdiff_t>(elements / 2);
    std::sort(w.numbers.begin(), middle);
    std::sort(middle, w.numbers.end());
    w.results.resize(elements);
  } else {
    w.numbers = numbers(elements);
    w.results.resize(elements);
    if (form.ends_with("find") && elements != 0) w.numbers[elements / 4 * 3] = -1;
  }
  return w;
}

forms serial_forms() {
  const auto axpy = [](work& w) {
    for (std::size_t i = 0; i < w.c.size(); ++i) w.c[i] = 2 * w.a[i] + w.b[i];
  };
  const auto one_more = [](work& w) {
    for (double& x : w.c) x += 1;
  };
  const auto sum = [](work& w) { w.sum = std::accumulate(w.a.begin(), w.a.end(), 0.0); };
  const auto sum_of_numbers = [](work& w) {
    w.sum = std::accumulate(w.numbers.begin(), w.numbers.end(), 0.0);
  };
  const auto find = [](work& w) {
    w.found = static_cast<std::size_t>(std::find(w.numbers.begin(), w.numbers.end(), -1) -
                                       w.numbers.begin());
  };
  const auto stable_sort = [](work& w) {
    std::stable_sort(w.pairs.begin(), w.pairs.end(), first_less);
  };
  return {
      {"for", axpy},
      {"for-range", axpy},
      {"nested-for", axpy},
      {"for-each", one_more},
      {"std-for-each", one_more},
      {"reduce", sum},
      {"reduce-fixed", sum},
      {"std-reduce", sum},
      {"invoke", sum_of_numbers},
      {"tasks", sum_of_numbers},
      {"find", find},
      {"std-find", find},
      {"stable-sort", stable_sort},
      {"std-stable-sort", stable_sort},
      {"std-sort", [](work& w) { std::sort(w.numbers.begin(), w.numbers.end()); }},
      {"std-scan",
       [](work& w) {
         std::transform_inclusive_scan(w.numbers.begin(), w.numbers.end(), w.results.begin(),
                                       std::plus<>(), [](int x) { return x % 16; });
       }},
      {"std-merge",
       [](work& w) {
         const auto middle = w.numbers.begin() + static_cast<std::ptrdiff_t>(w.numbers.size() / 2);
         std::merge(w.numbers.begin(), middle, middle, w.numbers.end(), w.results.begin());
       }},
      {"pack",
       [](work& w) {
         const auto end = std::copy_if(w.numbers.begin(), w.numbers.end(), w.results.begin(),
                                       [](int x) { return x < half; });
         w.found = static_cast<std::size_t>(end - w.results.begin());
       }},
      {"transpose",
       [](work& w) {
         for (std::size_t i = 0; i < w.side; ++i)
           for (std::size_t j = 0; j < w.side; ++j) w.b[i * w.side + j] = w.a[j * w.side + i];
       }},
      {"stencil",
       [](work& w) {
         for (std::size_t i = 1; i + 1 < w.side; ++i) {
           for (std::size_t j = 1; j + 1 < w.side; ++j) {
             const std::size_t at = i * w.side + j;
             w.b[at] = (w.a[at - 1] + w.a[at + 1] + w.a[at - w.side] + w.a[at + w.side]) / 4;
           }
         }
       }},
      {"product",
       [](work& w) {
         for (std::size_t i = 0; i < w.side; ++i) {
           for (std::size_t j = 0; j < w.side; ++j) {
             double all = 0;
             for (std::size_t k = 0; k < w.side; ++k)
               all += w.a[i * w.side + k] * w.b[k * w.side + j];
             w.c[i * w.side + j] = all;
           }
         }
       }},
  };
}

}  // namespace doall::bench
