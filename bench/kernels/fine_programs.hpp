// The list of the programs that fine-grain measures, beside AFS's of programs.hpp.
#pragma once

#include "kernels/advection/kernel.hpp"
#include "kernels/histogram/kernel.hpp"
#include "kernels/hydro/kernel.hpp"
#include "kernels/lattice-boltzmann/kernel.hpp"
#include "kernels/ligra-mix/kernel.hpp"
#include "kernels/linear-regression/kernel.hpp"
#include "kernels/programs.hpp"

namespace doall::bench {

// The mix on the Kronecker graph, or on the one in `file`, which is told by the names.
template <class Door>
void add_graph_programs(std::vector<program>& all, Door door, const std::string& file) {
  const std::string suffix = file.empty() ? "" : "-of-file";
  all.push_back(make_program<bfs>("bfs" + suffix, "large", "little", door, file));
  all.push_back(make_program<betweenness>("betweenness" + suffix, "large", "little", door, file));
  all.push_back(make_program<components>("components" + suffix, "large", "little", door, file));
  all.push_back(make_program<pagerank>("pagerank" + suffix, "large", "little", door, file));
}

template <class Kernel, class Door>
program make_reduction(std::string name, Door door, std::size_t bytes) {
  program p = make_program<Kernel>(std::move(name), "none", "no", door, bytes);
  p.reduces = true;
  return p;
}

// A cube of n cells a side, instead of the paper's 32.
template <class Door>
program make_larger_lattice(std::string name, Door door, int n, int steps) {
  program p = make_program<lattice_boltzmann>(std::move(name), "none", "yes", door);
  p.make = [n, steps](size s) {
    return s == size::paper ? std::make_unique<lattice_boltzmann>(n, steps)
                            : std::make_unique<lattice_boltzmann>(s);
  };
  return p;
}

// door(k) runs the loops of any kernel k in parallel. `graph_file`: a graph besides the
// Kronecker one; "": none.
template <class Door>
std::vector<program> fine_programs(Door door, const std::string& graph_file) {
  constexpr std::size_t megabyte = 1'000'000;
  std::vector<program> all{
      make_reduction<linear_regression>("linear-regression-1MB", door, megabyte),
      make_reduction<linear_regression>("linear-regression-100MB", door, 100 * megabyte),
      make_reduction<histogram>("histogram-1MB", door, megabyte),
      make_reduction<histogram>("histogram-100MB", door, 100 * megabyte),
      make_program<advection>("advection", "little", "yes", door),
      make_program<lattice_boltzmann>("lattice-boltzmann", "none", "yes", door),
      make_larger_lattice("lattice-boltzmann-64", door, 64, 4),
      make_program<hydro>("hydro", "none", "yes", door),
  };
  add_graph_programs(all, door, "");
  if (!graph_file.empty()) add_graph_programs(all, door, graph_file);
  return all;
}

// A loop to wake the threads up with: small, it has a hundred iterations of some 0.7 us.
template <class Door>
program fine_warm_up(Door door) {
  return make_reduction<linear_regression>("warm-up", door, 20'000'000);
}

}  // namespace doall::bench
