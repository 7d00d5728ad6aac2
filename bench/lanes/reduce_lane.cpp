#include "lanes/reduce_lane.hpp"

#include <algorithm>
#include <iostream>
#include <sstream>

#include "base/clock.hpp"
#include "base/rng.hpp"

namespace doall::bench {
namespace {

// Before each turn: every thread is awake, and what fits into caches is there.
constexpr std::uint64_t warm_up_ns = 2'000'000;
// Long against a reading of the clock, short against a time slice.
constexpr double batch_ns = 250'000;
constexpr unsigned batches = 5;

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
std::string time_batches(Reduce reduce, const Answer& expected) {
  bool right = true;
  const auto time_batch = [&](std::uint64_t runs) {
    Answer found{};
    const std::uint64_t begin_ns = base::now_ns();
    for (std::uint64_t r = 0; r < runs; ++r) found = reduce();
    const auto spent_ns = static_cast<double>(base::now_ns() - begin_ns);
    right = right && found == expected;
    return spent_ns / static_cast<double>(runs);
  };

  double run_ns = 0;
  const std::uint64_t begin_ns = base::now_ns();
  do {
    run_ns = time_batch(1);
  } while (base::now_ns() - begin_ns < warm_up_ns);

  const auto runs = static_cast<std::uint64_t>(std::max(1.0, batch_ns / (run_ns + 1)));
  std::ostringstream answer;
  for (unsigned b = 0; b < batches; ++b) answer << time_batch(runs) << ' ';
  return right ? answer.str() : "wrong: the result differs from the serial one";
}

std::string answer(const std::string& request, const reduce_lane& lane, const reductions& alone) {
  static const data all(10'000'000);
  std::istringstream fields(request);
  std::string verb;
  std::string schedule;
  std::string reduction;
  std::size_t elements = 0;
  const bool complete = static_cast<bool>(fields >> verb >> schedule >> reduction >> elements);
  const auto found = std::ranges::find(lane.offered, schedule, &reductions::schedule);
  const bool is_serial = schedule == alone.schedule;
  if (!complete || verb != "time" || (!is_serial && found == lane.offered.end()) ||
      elements > all.size()) {
    return "bad request: " + request;
  }
  const reductions& chosen = is_serial ? alone : *found;

  std::string times;
  lane.enter([&] {
    if (reduction == "dot") {
      const auto x = all.x(elements);
      const auto y = all.y(elements);
      times = time_batches([&] { return chosen.dot(x, y); }, alone.dot(x, y));
    } else {
      const auto bytes = all.bytes(elements);
      times = time_batches([&] { return chosen.histogram(bytes); }, alone.histogram(bytes));
    }
  });
  return times;
}

}  // namespace

void serve(const reduce_lane& lane) {
  std::cout << lane.library << '\t' << lane.threads;
  for (const reductions& r : lane.offered) std::cout << '\t' << r.schedule;
  std::cout << std::endl;
  const reductions alone = serial();
  for (std::string request; std::getline(std::cin, request);) {
    std::cout << answer(request, lane, alone) << std::endl;
  }
}

}  // namespace doall::bench
