// Connected components: every vertex's label is the least vertex that it is connected with.
//
// COWS, section VI. Three loops, as Figure 12 counts them; labels spread in place, and pointers are
// followed once a round (Shiloach & Vishkin, J. Algorithms 1982):
//   until a round has lowered nothing
//     each vertex: the least of its own and its neighbours' labels
//     each vertex: the label that the vertex of its label has
// A label that was just written may be read or not: how many rounds there are depends on the order
// of the iterations, and the answer does not. One thread runs 292 loops on Florida's roads and 4 on
// Slashdot, the paper's program 243 and 249 on roads and 4 to 9 on social networks; with labels
// that are read only in the next round roads take 717.
//
// Why the answer is right: a label is a vertex of the component, and only falls; where no vertex
// has a neighbour with a lesser one, all of a component have the same, that of its least vertex.
//
// Imbalance: large where degrees follow a power law. Affinity: yes, the same vertices each time.
//
// Loops: lower() is costed, the others are uniform.
#pragma once

#include "base/sync.hpp"
#include "kernels/cows_kernel.hpp"

namespace doall::bench {

class label_flow final : public cows_kernel {
 public:
  label_flow(size s, const graph_input& input) : label_flow(ordered_graph_from(s, input)) {}
  explicit label_flow(shared_ordered_graph g);

  void reset() override;
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(labels_)); }

  void begin(vertex v) { take_label(v, v); }
  std::uint32_t lower(vertex v) {
    const vertex own = label(v);
    vertex least = own;
    const cows_graph g = graph().for_c();
    for (std::uint64_t e = g.first[v]; e < g.first[v + 1]; ++e) {
      const vertex other = label(g.neighbour[e]);
      if (other < least) least = other;
    }
    if (least != own) {
      take_label(v, least);
      changed_.raise();
    }
    return graph().degree(v);
  }
  void follow(vertex v) { take_label(v, label(label(v))); }

  // Whether the last lower() loop has changed a label.
  bool has_changed() { return changed_.take(); }

  vertex label(vertex v) const {
    // (1) relaxed; alone: any label that the vertex has had in this round will do
    return labels_[v].load(sync::relaxed);
  }
  void take_label(vertex v, vertex label) {
    // (2) relaxed; alone: as (1); only iteration v writes it
    labels_[v].store(label, sync::relaxed);
  }

  friend void run_omp(label_flow& k, const cows_program_set& programs);

 private:
  std::vector<sync::atomic<vertex>> labels_;
  change_flag changed_;
};

void run_serial(label_flow& k);

template <class Loops>
void run(label_flow& k, const Loops& loops) {
  const auto n = static_cast<vertex>(k.vertices());
  loops.each(loop_kind::uniform, "begin", n, [&k](vertex v) { k.begin(v); });
  for (;;) {
    loops.each(loop_kind::costed, "lower", n, [&k](vertex v) { return k.lower(v); });
    if (!k.has_changed()) return;
    loops.each(loop_kind::uniform, "follow", n, [&k](vertex v) { k.follow(v); });
  }
}

}  // namespace doall::bench
