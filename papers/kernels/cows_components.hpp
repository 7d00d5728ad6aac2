// Connected components: every vertex's label is the least vertex that it is connected with.
//
// COWS, section VI; labels spread as in Ligra and others, and pointers are followed once a round
// (Shiloach & Vishkin, J. Algorithms 1982), so that a road network takes tens of rounds and not
// hundreds:
//   until a round has changed nothing
//     each vertex: the least of its own and its neighbours' labels
//     each vertex: the label that this one has
//
// Imbalance: large where degrees follow a power law. Affinity: yes, the same vertices each time.
//
// Loops: lower() is costed, the others are uniform.
#pragma once

#include <algorithm>

#include "kernels/cows_kernel.hpp"

namespace doall::bench {

class label_flow final : public cows_kernel {
 public:
  label_flow(size s, const graph_input& input) : label_flow(ordered_graph_from(s, input)) {}
  explicit label_flow(shared_ordered_graph g);

  void reset() override;
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(labels_)); }

  void begin(vertex v) { labels_[v] = v; }
  std::uint32_t lower(vertex v) {
    vertex least = labels_[v];
    const cows_graph g = graph().for_c();
    for (std::uint64_t e = g.first[v]; e < g.first[v + 1]; ++e) {
      if (labels_[g.neighbour[e]] < least) least = labels_[g.neighbour[e]];
    }
    new_labels_[v] = least;
    return graph().degree(v);
  }
  // Whether v has another label now.
  std::uint64_t follow(vertex v) {
    const vertex least = new_labels_[new_labels_[v]];
    const bool is_other = least != labels_[v];
    labels_[v] = least;
    return is_other ? 1 : 0;
  }

  vertex label(vertex v) const { return labels_[v]; }
  void take_label(vertex v, vertex label) { labels_[v] = label; }

  friend void run_omp(label_flow& k, const cows_program_set& programs);

 private:
  std::vector<vertex> labels_;
  std::vector<vertex> new_labels_;
};

void run_serial(label_flow& k);

template <class Loops>
void run(label_flow& k, const Loops& loops) {
  const auto n = static_cast<vertex>(k.vertices());
  loops.each(loop_kind::uniform, "begin", n, [&k](vertex v) { k.begin(v); });
  std::uint64_t changed = 1;
  while (changed != 0) {
    loops.each(loop_kind::costed, "lower", n, [&k](vertex v) { return k.lower(v); });
    changed = loops.sum("follow", n, [&k](vertex v) { return k.follow(v); });
  }
}

}  // namespace doall::bench
