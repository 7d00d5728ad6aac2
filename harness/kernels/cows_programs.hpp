// The list of the programs that COWS measures: five kernels, each on every graph that is given.
#pragma once

#include "kernels/cows_bfs.hpp"
#include "kernels/cows_components.hpp"
#include "kernels/cows_k_committee.hpp"
#include "kernels/cows_leader_election.hpp"
#include "kernels/cows_pagerank.hpp"
#include "kernels/kernel.hpp"

namespace doall::bench {

// All graphs there are, one after the other in each of its orders, so that a file is read once.
inline std::vector<graph_input> every_graph(size s, const graph_files& files) {
  std::vector<graph_input> all{{.name = kronecker_name(s), .file = ""}};
  if (s == size::paper) all.insert(all.end(), files.found.begin(), files.found.end());
  std::vector<graph_input> ordered;
  for (graph_input g : all) {
    for (const vertex_order order :
         {vertex_order::given, vertex_order::by_degree, vertex_order::by_level}) {
      g.order = order;
      ordered.push_back(g);
    }
  }
  return ordered;
}

// door(k) runs the loops of any kernel k in parallel. Names are KERNEL-GRAPH, graph by graph.
template <class Door>
std::vector<program> cows_programs(Door door, const std::vector<graph_input>& graphs) {
  std::vector<program> all;
  for (const graph_input& g : graphs) {
    const std::string on = "-" + g.text();
    const std::string imbalance = is_road_network(g.name) ? "little" : "large";
    all.push_back(make_program<k_committee>("k-committee" + on, imbalance, "yes", door, g));
    all.push_back(make_program<leader_election>("leader-election" + on, imbalance, "yes", door, g));
    all.push_back(make_program<cows_search>("bfs" + on, "large", "little", door, g));
    all.push_back(make_program<rank_flow>("pagerank" + on, imbalance, "yes", door, g));
    all.push_back(make_program<label_flow>("components" + on, imbalance, "yes", door, g));
  }
  return all;
}

// Of a name that cows_programs() has made.
inline bool runs_on_road_network(std::string_view program) {
  return program.find("-road-") != std::string_view::npos;
}

// Whether it takes what it finds across a road network, an edge a loop: thousands of loops over all
// vertices, 10^9 iterations a run and more.
inline bool crosses_road_network(std::string_view program) {
  return runs_on_road_network(program) &&
         (program.starts_with("bfs-") || program.starts_with("leader-election-") ||
          program.starts_with("components-"));
}

// A loop to wake the threads up with: small, ten rounds or so over 512 vertices.
template <class Door>
program cows_warm_up(Door door) {
  return make_program<label_flow>("warm-up", "large", "yes", door,
                                  graph_input{kronecker_name(size::small), ""});
}

}  // namespace doall::bench
