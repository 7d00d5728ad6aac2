// K-committee: every vertex joins a committee, whose members are near its leader.
//
// COWS, section VI: "creates committees such that no two members in the committee are at a
// distance > a pre-defined value K". IMSuite's kernel (Gupta & Nandivada, JPDC 2015), by its
// description: phases of two floods each.
//   for so many phases
//     each vertex without a leader stands for election by its number
//     `hops` times: each vertex takes the least number that itself and its neighbours have
//     who finds its own number invites; all other numbers are forgotten
//     `hops` times again: the least invitation spreads
//     who has no leader and is invited joins
//   who still has no leader after the last phase is a committee of its own
// With hops = 3 no two members are at a distance > K = 6, and with three phases the program runs
// 28 loops, those that Figure 12 counts.
//
// Imbalance: large where degrees follow a power law. Affinity: yes, the same vertices each time.
//
// Loops: spread() is costed, the others are uniform. In the paper both floods have `while` loops,
// whose costs its compiler cannot tell, so they run by wsri there; here they are `for` loops over
// neighbours, and wsrw knows what they cost.
#pragma once

#include <algorithm>

#include "kernels/cows_kernel.hpp"

namespace doall::bench {

class k_committee final : public cows_kernel {
 public:
  static constexpr std::uint32_t hops = 3;
  static constexpr std::uint32_t phases = 3;

  k_committee(size s, const graph_input& input) : k_committee(ordered_graph_from(s, input)) {}
  explicit k_committee(shared_ordered_graph g);

  void reset() override;
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(leaders_)); }

  void begin(vertex v) { leaders_[v] = no_vertex; }
  void stand(vertex v) { least_[v] = leaders_[v] == no_vertex ? v : no_vertex; }
  std::uint32_t spread(vertex v) {
    vertex least = least_[v];
    const cows_graph g = graph().for_c();
    for (std::uint64_t e = g.first[v]; e < g.first[v + 1]; ++e) {
      if (least_[g.neighbour[e]] < least) least = least_[g.neighbour[e]];
    }
    new_least_[v] = least;
    return graph().degree(v);
  }
  void advance() { least_.swap(new_least_); }
  void invite(vertex v) {
    if (least_[v] != v) least_[v] = no_vertex;
  }
  void join(vertex v, bool is_last_phase) {
    if (leaders_[v] != no_vertex) return;
    leaders_[v] = least_[v] == no_vertex && is_last_phase ? v : least_[v];
  }

  vertex leader(vertex v) const { return leaders_[v]; }
  void take_leader(vertex v, vertex leader) { leaders_[v] = leader; }

  friend void run_omp(k_committee& k, const cows_program_set& programs);

 private:
  std::vector<vertex> leaders_;
  std::vector<vertex> least_;  // numbers, then invitations
  std::vector<vertex> new_least_;
};

void run_serial(k_committee& k);

template <class Loops>
void run(k_committee& k, const Loops& loops) {
  const auto n = static_cast<vertex>(k.vertices());
  loops.each(loop_kind::uniform, "begin", n, [&k](vertex v) { k.begin(v); });
  for (std::uint32_t phase = 1; phase <= k.phases; ++phase) {
    loops.each(loop_kind::uniform, "stand", n, [&k](vertex v) { k.stand(v); });
    for (std::uint32_t hop = 0; hop < k.hops; ++hop) {
      loops.each(loop_kind::costed, "elect", n, [&k](vertex v) { return k.spread(v); });
      k.advance();
    }
    loops.each(loop_kind::uniform, "invite", n, [&k](vertex v) { k.invite(v); });
    for (std::uint32_t hop = 0; hop < k.hops; ++hop) {
      loops.each(loop_kind::costed, "spread", n, [&k](vertex v) { return k.spread(v); });
      k.advance();
    }
    const bool is_last = phase == k.phases;
    loops.each(loop_kind::uniform, "join", n, [&k, is_last](vertex v) { k.join(v, is_last); });
  }
}

}  // namespace doall::bench
