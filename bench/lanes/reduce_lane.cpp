#include "lanes/reduce_lane.hpp"

#include <algorithm>

#include "base/rng.hpp"
#include "lanes/server.hpp"

namespace doall::bench {
namespace {

reductions serial() {
  return {"serial",
          [](std::span<const double> x, std::span<const double> y) {
            double sum = 0;
            for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
            return sum;
          },
          [](std::span<const std::uint8_t> bytes) {
            byte_counts counts{};
            for (const std::uint8_t b : bytes) ++counts[b];
            return counts;
          }};
}

// What is reduced. Whole numbers below 1,000: a sum of 10^9 products is exact in doubles,
// in any order, so answers can be compared bit by bit.
class data {
 public:
  explicit data(std::size_t elements) : x_(elements), y_(elements), bytes_(elements) {
    base::rng random(1);
    for (std::size_t i = 0; i < elements; ++i) {
      const std::uint64_t bits = random.next();
      x_[i] = static_cast<double>(bits % 1000);
      y_[i] = static_cast<double>((bits >> 32) % 1000);
      bytes_[i] = static_cast<std::uint8_t>(bits >> 56);
    }
  }

  std::size_t size() const { return x_.size(); }
  std::span<const double> x(std::size_t elements) const { return std::span(x_).first(elements); }
  std::span<const double> y(std::size_t elements) const { return std::span(y_).first(elements); }
  std::span<const std::uint8_t> bytes(std::size_t elements) const {
    return std::span(bytes_).first(elements);
  }

 private:
  std::vector<double> x_;
  std::vector<double> y_;
  std::vector<std::uint8_t> bytes_;
};

// Times reduce() and compares what each call returns.
template <class Reduce, class Answer>
std::vector<double> timed(const Reduce& reduce, const Answer& expected) {
  bool right = true;
  const std::vector<double> times_ns =
      time_batches({.warm_up_ns = 2'000'000, .least = 1, .batches = 5}, [&](std::uint64_t runs) {
        Answer found{};
        for (; runs > 0; --runs) found = reduce();
        right = right && found == expected;
      });
  if (!right) throw std::runtime_error("wrong: the result differs from the serial one");
  return times_ns;
}

}  // namespace

void serve_reduce(const reduce_lane& r) {
  const data all(10'000'000);
  const reductions alone = serial();
  lane l{.library = r.library, .threads = r.threads};
  for (const reductions& one : r.offered) l.offers.push_back(one.schedule);
  l.verbs["time"] = [&](std::istream& words) {
    const std::string schedule = next_of(words);
    const reductions& chosen =
        schedule == alone.schedule ? alone : named(r.offered, schedule, &reductions::schedule);
    const std::string reduction = next_of(words);
    const auto elements = std::min(next_of<std::size_t>(words), all.size());
    std::vector<double> times_ns;
    r.enter([&] {
      if (reduction == "dot") {
        const auto x = all.x(elements);
        const auto y = all.y(elements);
        times_ns = timed([&] { return chosen.dot(x, y); }, alone.dot(x, y));
      } else {
        const auto bytes = all.bytes(elements);
        times_ns = timed([&] { return chosen.histogram(bytes); }, alone.histogram(bytes));
      }
    });
    return in_a_line(times_ns);
  };
  serve(l);
}

}  // namespace doall::bench
