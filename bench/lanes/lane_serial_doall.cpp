// serial's lane: loops, reductions, running sums and recursions of N steps, each as a plain one and
// through the native door with nothing said. Verbs (lanes/server.hpp has the protocol):
//   time plain|doall NAME N      nanoseconds a run, one number a batch
// A run whose answer differs from the plain one's is an error.
#include <doall/doall.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <type_traits>
#include <utility>

#include "base/rng.hpp"
#include "lanes/server.hpp"

namespace {

using namespace doall::bench;

constexpr std::size_t most = 10'000;

struct data {
  std::vector<double> x = std::vector<double>(most);
  std::vector<double> y = std::vector<double>(most);
  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(most);
  std::vector<double> out = std::vector<double>(most);

  // Whole numbers, so that sums are exact in any order.
  data() {
    doall::base::rng random(1);
    for (std::size_t i = 0; i < most; ++i) {
      x[i] = static_cast<double>(random.below(1000));
      y[i] = static_cast<double>(random.below(1000));
      bytes[i] = static_cast<std::uint8_t>(random.below(256));
    }
  }
};

data d;

// Runs N steps and returns something that tells whether they were right.
using run_of = std::function<double(std::size_t n)>;

struct subject {
  const char* name;
  run_of plain;
  run_of ours;
};

double last_out(std::size_t n) { return n == 0 ? 0 : d.out[n / 2] + d.out[n - 1]; }

using byte_counts = std::array<std::uint32_t, 256>;

byte_counts count_bytes(std::size_t first, std::size_t last) {
  byte_counts counts{};
  for (std::size_t i = first; i < last; ++i) ++counts[d.bytes[i]];
  return counts;
}

double weighed(const byte_counts& counts) {
  double sum = 0;
  for (std::size_t value = 0; value < counts.size(); ++value) {
    sum += static_cast<double>(value) * counts[value];
  }
  return sum;
}

byte_counts sum_of(byte_counts a, const byte_counts& b) {
  for (std::size_t value = 0; value < a.size(); ++value) a[value] += b[value];
  return a;
}

template <class Combine>
subject histogram(const char* name, Combine combine, doall::reduce_order order) {
  return {name, [](std::size_t n) { return weighed(count_bytes(0, n)); },
          [combine, order](std::size_t n) {
            return weighed(doall::parallel_reduce(std::size_t{0}, n, byte_counts{},
                                                  [](doall::range<std::size_t> part) {
                                                    return count_bytes(part.first(), part.last());
                                                  },
                                                  combine, {.order = order}));
          }};
}

// What all steps write.
struct shared_words {
  std::atomic<std::uint64_t> counter{0};
  std::mutex lock;
  std::uint64_t locked = 0;

  double taken() {
    const std::uint64_t sum = counter.exchange(0, std::memory_order_relaxed) + locked;
    locked = 0;
    return static_cast<double>(sum);
  }
};

shared_words met;

double plain_halves(std::size_t first, std::size_t last) {
  if (last - first <= 1) return first == last ? 0 : d.x[first];
  const std::size_t middle = first + (last - first) / 2;
  return plain_halves(first, middle) + plain_halves(middle, last);
}

double invoked_halves(std::size_t first, std::size_t last) {
  if (last - first <= 1) return first == last ? 0 : d.x[first];
  const std::size_t middle = first + (last - first) / 2;
  double left = 0;
  double right = 0;
  doall::parallel_invoke([&] { left = invoked_halves(first, middle); },
                         [&] { right = invoked_halves(middle, last); });
  return left + right;
}

std::size_t rows_of(std::size_t n) {
  return static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
}

// Runs loop(n, tag) with a tag of another type for each length, by its number of digits and its
// first one. A body that captures the tag makes a site of its own.
template <class Loop>
void at_own_site(std::size_t n, const Loop& loop) {
  std::size_t power = 0;
  std::size_t first = n;
  for (; first >= 10; first /= 10) ++power;
  const std::size_t place = 10 * power + first;
  [&]<std::size_t... Place>(std::index_sequence<Place...>) {
    ((Place == place ? loop(n, std::integral_constant<std::size_t, Place>()) : void()), ...);
  }(std::make_index_sequence<50>());
}

std::vector<subject> all_subjects() {
  const auto add = [](std::size_t i) { d.out[i] = d.x[i] + 2 * d.y[i]; };
  const auto roots = [](std::size_t i) { d.out[i] = std::sqrt(d.x[i]) / (1 + std::sqrt(d.y[i])); };
  const auto count = [](std::size_t i) {
    met.counter.fetch_add(d.bytes[i], std::memory_order_relaxed);
  };
  const auto count_locked = [](std::size_t i) {
    const std::lock_guard alone(met.lock);
    met.locked += d.bytes[i];
  };
  const auto loop_of = [](const char* name, auto body, auto answer) {
    return subject{name,
                   [=](std::size_t n) {
                     for (std::size_t i = 0; i < n; ++i) body(i);
                     return answer(n);
                   },
                   [=](std::size_t n) {
                     doall::parallel_for(std::size_t{0}, n, body);
                     return answer(n);
                   }};
  };
  const auto loop = [=](const char* name, auto body) { return loop_of(name, body, last_out); };
  const auto meeting = [=](const char* name, auto body) {
    return loop_of(name, body, [](std::size_t) { return met.taken(); });
  };
  const auto plain_rows = [=](std::size_t n) {
    const std::size_t rows = rows_of(n);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t i = r * rows; i < (r + 1) * rows; ++i) add(i);
    }
    return last_out(rows * rows);
  };
  const auto reduction = [](const char* name, auto identity, auto body, auto combine) {
    return subject{name,
                   [=](std::size_t n) {
                     auto sum = identity;
                     for (std::size_t i = 0; i < n; ++i) sum = combine(sum, body(i));
                     return static_cast<double>(sum);
                   },
                   [=](std::size_t n) {
                     return static_cast<double>(
                         doall::parallel_reduce(std::size_t{0}, n, identity, body, combine));
                   }};
  };
  return {
      loop("add", add),
      loop("roots", roots),
      meeting("counter", count),
      meeting("locked", count_locked),
      subject{"rows", plain_rows,
              [=](std::size_t n) {
                const std::size_t rows = rows_of(n);
                doall::parallel_for(std::size_t{0}, rows, [&](std::size_t r) {
                  doall::parallel_for(r * rows, (r + 1) * rows, add);
                });
                return last_out(rows * rows);
              }},
      subject{"rows/own",
              [=](std::size_t n) {
                double last = 0;
                at_own_site(n, [&](std::size_t, auto) { last = plain_rows(n); });
                return last;
              },
              [=](std::size_t n) {
                const std::size_t rows = rows_of(n);
                at_own_site(n, [&](std::size_t, auto length) {
                  doall::parallel_for(std::size_t{0}, rows, [&, length](std::size_t r) {
                    static_cast<void>(length);
                    doall::parallel_for(r * rows, (r + 1) * rows, add);
                  });
                });
                return last_out(rows * rows);
              }},
      reduction(
          "sum", 0.0, [](std::size_t i) { return d.x[i]; }, std::plus<>()),
      reduction(
          "dot", 0.0, [](std::size_t i) { return d.x[i] * d.y[i]; }, std::plus<>()),
      reduction(
          "sum-int", std::int64_t{0}, [](std::size_t i) { return std::int64_t{d.bytes[i]}; },
          std::plus<>()),
      reduction(
          "least", std::numeric_limits<double>::infinity(), [](std::size_t i) { return d.x[i]; },
          [](double a, double b) { return std::min(a, b); }),
      histogram("histogram", sum_of, doall::reduce_order::fixed),
      histogram("histogram/any", sum_of, doall::reduce_order::any),
      histogram("elements", doall::each_element(std::plus<>()), doall::reduce_order::fixed),
      subject{"scan",
              [](std::size_t n) {
                std::partial_sum(d.x.begin(), d.x.begin() + static_cast<std::ptrdiff_t>(n),
                                 d.out.begin());
                return last_out(n);
              },
              [](std::size_t n) {
                doall::parallel_scan(std::span(d.x).first(n), d.out.begin(), 0.0, std::plus<>());
                return last_out(n);
              }},
      subject{"halves", [](std::size_t n) { return plain_halves(0, n); },
              [](std::size_t n) { return invoked_halves(0, n); }},
  };
}

std::vector<double> timed(const run_of& run, std::size_t n, double expected) {
  bool right = true;
  const std::vector<double> times_ns =
      time_batches({.warm_up_ns = 200'000, .least = 1, .batches = 3, .batch_ns = 100'000},
                   [&](std::uint64_t runs) {
                     double found = 0;
                     for (; runs > 0; --runs) found = run(n);
                     right = right && found == expected;
                   });
  if (!right) throw std::runtime_error("wrong: the result differs from the plain one");
  return times_ns;
}

}  // namespace

int main() {
  const std::vector<subject> all = all_subjects();
  lane l{.library = std::string("libdoall ") + doall_version(), .threads = doall_threads()};
  for (const subject& s : all) l.offers.emplace_back(s.name);
  l.verbs["time"] = [&](std::istream& words) {
    const std::string who = next_of(words);
    const subject& s = named(all, next_of(words), &subject::name);
    const auto n = std::min(next_of<std::size_t>(words), most);
    const double expected = s.plain(n);
    std::ranges::fill(d.out, 0);
    return in_a_line(timed(who == "plain" ? s.plain : s.ours, n, expected));
  };
  serve(l);
}
