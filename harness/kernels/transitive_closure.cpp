#include "kernels/transitive_closure.hpp"

#include "base/rng.hpp"

namespace doall::bench {
namespace {

int nodes_of(size s, graph g) {
  const int of_paper = g == graph::random ? 512 : 640;
  return s == size::paper ? of_paper : of_paper / 4;
}

}  // namespace

transitive_closure::transitive_closure(size s, graph g)
    : n_(nodes_of(s, g)), reach_(nodes(), nodes()), edges_(reach_) {
  base::rng random(3);
  const std::size_t clique = nodes() / 2;
  for (std::size_t from = 0; from < nodes(); ++from) {
    for (std::size_t to = 0; to < nodes(); ++to) {
      const bool edge = g == graph::random ? random.below(100) < 8 : from < clique && to < clique;
      edges_[from][to] = edge ? 1 : 0;
    }
  }
  cost_sums_ = sums_of(nodes(), [&](std::size_t j) -> std::uint64_t {
    return g == graph::random || j < clique ? nodes() : 1;
  });
}

void transitive_closure::extend(int via, int j) {
  note(0, static_cast<std::size_t>(j));
  std::uint8_t* of_j = reach_[static_cast<std::size_t>(j)];
  if (j == via || of_j[via] == 0) return;
  const std::uint8_t* of_via = reach_[static_cast<std::size_t>(via)];
  for (int i = 0; i < n_; ++i) {
    if (of_via[i] != 0) of_j[i] = 1;
  }
}

}  // namespace doall::bench
