// Transitive closure of a graph by Warshall's algorithm.
//
// AFS, section 4.2:
//   DO SEQUENTIAL K = 1,N
//     DO PARALLEL J = 1,N
//       IF (A(J,K) .EQ. TRUE) THEN
//         DO SEQUENTIAL I = 1,N
//           IF (A(K,I) .EQ. TRUE) A(J,I) = TRUE
//
// Imbalance: the input's. `random`: 512 nodes, 8 % of all edges, soon all of them,
// so little. `skewed`: 640 nodes, a clique of the first 320 and nothing else: the
// first half of the iterations has all the work. Affinity: yes, row J.
//
// Iteration J = K would write what it reads, and others read, and change nothing:
// it is left out, which takes the paper's one race away.
#pragma once

#include "kernels/kernel.hpp"
#include "kernels/rows.hpp"

namespace doall::bench {

enum class graph { random, skewed };

class transitive_closure final : public kernel {
 public:
  transitive_closure(size s, graph g);

  void reset() override { reach_ = edges_; }
  std::span<const std::byte> answer() const override { return reach_.bytes(); }
  std::vector<std::size_t> loop_lengths() const override { return {nodes()}; }

  int n() const { return n_; }

  // Iteration j, from 0 to n - 1: whatever the node `via` reaches, j reaches if it
  // reaches `via`.
  void extend(int via, int j);

  // Known from the input: a node without edges costs a test, the others a row.
  std::span<const std::uint64_t> cost_sums() const { return cost_sums_; }

  bool has_edge(int from, int to) const { return is_set(edges_, from, to); }
  bool reaches(int from, int to) const { return is_set(reach_, from, to); }

 private:
  std::size_t nodes() const { return static_cast<std::size_t>(n_); }
  static bool is_set(const rows<std::uint8_t>& matrix, int from, int to) {
    return matrix[static_cast<std::size_t>(from)][to] != 0;
  }

  int n_;
  rows<std::uint8_t> reach_;
  rows<std::uint8_t> edges_;
  std::vector<std::uint64_t> cost_sums_;
};

template <class Loops>
void run(transitive_closure& k, const Loops& loops) {
  for (int via = 0; via < k.n(); ++via) {
    loops.each(0, k.n(), [&](int j) { k.extend(via, j); }, k.cost_sums());
  }
}

}  // namespace doall::bench
