// Leader election for general graphs: every vertex learns the largest number of its component,
// its leader, and how far away that is.
//
// COWS, section VI; IMSuite's kernel after Peleg, "Time-optimal leader election in general
// networks", JPDC 1990. Numbers are flooded: in a round a vertex takes the largest that itself and
// its neighbours have.
//   until a round has changed nothing
//     each vertex: the largest of its own and its neighbours' leaders
//     each vertex: if that is another, it is the leader, so many rounds away
// Peleg's vertices find out by themselves that they are done, with distances that they send along;
// here all see the number of changes, as one does in shared memory. The paper's program runs 34 or
// 30 loops on social networks and more than a thousand on roads: two a round.
//
// Imbalance: large where degrees follow a power law. Affinity: yes, the same vertices each time.
//
// Loops: exchange() is costed, the others are uniform.
#pragma once

#include "kernels/cows_kernel.hpp"

namespace doall::bench {

class leader_election final : public cows_kernel {
 public:
  leader_election(size s, const graph_input& input)
      : leader_election(ordered_graph_from(s, input)) {}
  explicit leader_election(shared_ordered_graph g);

  void reset() override;
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(answer_)); }

  void begin(vertex v) { take(v, v, 0); }
  std::uint32_t exchange(vertex v) {
    vertex most = leader(v);
    const cows_graph g = graph().for_c();
    for (std::uint64_t e = g.first[v]; e < g.first[v + 1]; ++e) {
      const vertex other = leader(g.neighbour[e]);
      if (other > most) most = other;
    }
    new_leaders_[v] = most;
    return graph().degree(v);
  }
  // Whether v has another leader now.
  std::uint64_t accept(vertex v, std::uint32_t round) {
    if (new_leaders_[v] == leader(v)) return 0;
    take(v, new_leaders_[v], round);
    return 1;
  }

  vertex leader(vertex v) const { return answer_[v]; }
  std::uint32_t distance(vertex v) const { return answer_[vertices() + v]; }
  void take(vertex v, vertex leader, std::uint32_t distance) {
    answer_[v] = leader;
    answer_[vertices() + v] = distance;
  }

  friend void run_omp(leader_election& k, const cows_program_set& programs);

 private:
  std::vector<std::uint32_t> answer_;  // all leaders, then all distances
  std::vector<vertex> new_leaders_;
};

void run_serial(leader_election& k);

template <class Loops>
void run(leader_election& k, const Loops& loops) {
  const auto n = static_cast<vertex>(k.vertices());
  loops.each(loop_kind::uniform, "begin", n, [&k](vertex v) { k.begin(v); });
  std::uint64_t changed = 1;
  for (std::uint32_t round = 1; changed != 0; ++round) {
    loops.each(loop_kind::costed, "exchange", n, [&k](vertex v) { return k.exchange(v); });
    changed = loops.sum("accept", n, [&k, round](vertex v) { return k.accept(v, round); });
  }
}

}  // namespace doall::bench
