#include "kernels/tsp.hpp"

#include <algorithm>
#include <limits>

#include "base/rng.hpp"

namespace doall::bench {
namespace {

constexpr std::uint32_t no_cycle = std::numeric_limits<std::uint32_t>::max();

}  // namespace

static_assert(sizeof(sync::atomic<std::uint32_t>) == sizeof(std::uint32_t),
              "the answer is the bytes of a length");

tsp::tsp(std::size_t n, std::uint64_t seed) : n_(n), distances_(n, n) {
  base::rng random(seed);
  for (std::size_t from = 0; from < n; ++from) {
    for (std::size_t to = 0; to < from; ++to) {
      distances_[from][to] = distances_[to][from] =
          static_cast<std::uint32_t>(1 + random.below(1000));
    }
  }
}

void tsp::reset() {
  // (1) relaxed; alone: fork and join of the loops order it with what lowers it
  shortest_.store(no_cycle, sync::relaxed);
}

tsp::tour tsp::extended(const tour& t, std::size_t node) const {
  return {t.visited | std::uint32_t{1} << node, static_cast<std::uint32_t>(node), t.steps + 1,
          t.length + distances_[t.last][node]};
}

std::uint32_t tsp::shortest_from(const tour& t) const {
  if (t.steps + 1 == n_) return t.length + distances_[t.last][0];
  std::uint32_t shortest = no_cycle;
  for (std::size_t node = 0; node < n_; ++node) {
    if (!t.has(node)) shortest = std::min(shortest, shortest_from(extended(t, node)));
  }
  return shortest;
}

void tsp::close(const tour& t) {
  const std::uint32_t length = shortest_from(t);
  // (2) relaxed; alone: a number that only falls; it is read when all of the loops have
  // been joined
  std::uint32_t known = shortest_.load(sync::relaxed);
  while (length < known &&
         // (3) relaxed; alone: as (2)
         !shortest_.compare_exchange_weak(known, length, sync::relaxed)) {
  }
}

std::uint32_t tsp::shortest() const {
  // (4) relaxed; alone: as (2)
  return shortest_.load(sync::relaxed);
}

std::uint64_t tsp::close_cycles(const tour& t) const {
  constexpr std::uint64_t call_cycles = 15;
  std::uint64_t cycles = call_cycles;  // of a tour of all nodes
  for (std::size_t left = 1; left + t.steps < n_; ++left) {
    cycles = call_cycles + n_ * try_cycles + left * cycles;
  }
  return cycles;
}

}  // namespace doall::bench
