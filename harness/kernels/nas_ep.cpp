#include "kernels/nas_ep.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/kernel.hpp"
#include "kernels/nas.hpp"

namespace doall::bench {
namespace {

constexpr std::uint64_t seed = 271'828'183;
constexpr unsigned block_pairs_log2 = 16;
constexpr std::uint64_t block_pairs = std::uint64_t{1} << block_pairs_log2;
constexpr double tolerance = 1e-8;

// What the sums are to be, by NPB 3.3, and all counts together, by NPB 3.4.
struct expectation {
  unsigned pairs_log2;
  double x;
  double y;
  std::uint64_t pairs;
};

const expectation& expected(nas_class c) {
  static constexpr expectation all[] = {
      {24, -3.247834652034740e3, -6.958407078382297e3, 13'176'389},
      {25, -2.863319731645753e3, -6.320053679109499e3, 26'354'769},
      {28, -4.295875165629892e3, -1.580732573678431e4, 210'832'767},
  };
  return all[static_cast<std::size_t>(c)];
}

}  // namespace

ep_sums& ep_sums::operator+=(const ep_sums& other) {
  x += other.x;
  y += other.y;
  for (std::size_t ring = 0; ring < rings; ++ring) counts[ring] += other.counts[ring];
  return *this;
}

nas_ep::nas_ep(size s, nas_class c)
    : class_(s == size::paper ? c : nas_class::s),
      blocks_(std::size_t{1} << (expected(class_).pairs_log2 - block_pairs_log2)) {}

ep_sums nas_ep::sum_block(std::size_t block) const {
  note(0, block);
  nas_random random(seed);
  random.skip(2 * block_pairs * block);
  ep_sums sums;
  for (std::uint64_t pair = 0; pair < block_pairs; ++pair) {
    const double x = 2 * random.next() - 1;
    const double y = 2 * random.next() - 1;
    const double t = x * x + y * y;
    if (t > 1) continue;
    const double scale = std::sqrt(-2 * std::log(t) / t);
    sums.x += x * scale;
    sums.y += y * scale;
    ++sums.counts[static_cast<std::size_t>(scale * std::max(std::abs(x), std::abs(y)))];
  }
  return sums;
}

void nas_ep::take(const ep_sums& sums) {
  const expectation& right = expected(class_);
  const auto pairs = std::accumulate(sums.counts.begin(), sums.counts.end(), std::uint64_t{0});
  const bool verified = agrees(sums.x, right.x, tolerance) && agrees(sums.y, right.y, tolerance) &&
                        pairs == right.pairs;
  result_ = {.verified = verified ? 1U : 0U, .counts = sums.counts};
}

std::size_t nas_ep::chunk(std::size_t workers) const { return chunk_of(blocks_, workers); }

}  // namespace doall::bench
