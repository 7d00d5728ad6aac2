#include "kernels/floyd_warshall.hpp"

#include "base/rng.hpp"

namespace doall::bench {

floyd_warshall::floyd_warshall(std::size_t nodes, std::uint64_t seed)
    : n_(nodes), distances_(nodes, nodes), edges_(nodes, nodes) {
  base::rng random(seed);
  for (std::size_t from = 0; from < nodes; ++from) {
    for (std::size_t to = 0; to < nodes; ++to) {
      const bool joined = random.below(8) == 0;
      const auto length = static_cast<std::int32_t>(1 + random.below(100));
      edges_[from][to] = from == to ? 0 : joined ? length : unreached;
    }
  }
}

void floyd_warshall::relax(std::size_t via, std::size_t from, std::size_t first, std::size_t last) {
  note(0, from * n_ + first, from * n_ + last);
  const std::int32_t* beyond = distances_[via];
  std::int32_t* of_from = distances_[from];
  const std::int32_t to_via = of_from[via];
  for (std::size_t to = first; to < last; ++to) {
    const std::int32_t length = to_via + beyond[to];
    if (length < of_from[to]) of_from[to] = length;
  }
}

}  // namespace doall::bench
