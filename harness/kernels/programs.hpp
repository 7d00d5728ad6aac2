// The lists of the programs that experiments measure, but for COWS's (kernels/cows_programs.hpp).
#pragma once

#include <string>
#include <vector>

#include "kernels/adjoint_convolution.hpp"
#include "kernels/advection.hpp"
#include "kernels/breadth_first.hpp"
#include "kernels/convolution.hpp"
#include "kernels/floyd_warshall.hpp"
#include "kernels/gauss.hpp"
#include "kernels/histogram.hpp"
#include "kernels/hydro.hpp"
#include "kernels/kernel.hpp"
#include "kernels/l4.hpp"
#include "kernels/late_start.hpp"
#include "kernels/lattice_boltzmann.hpp"
#include "kernels/ligra_mix.hpp"
#include "kernels/linear_regression.hpp"
#include "kernels/matmult.hpp"
#include "kernels/nas_cg.hpp"
#include "kernels/nas_ep.hpp"
#include "kernels/nas_ft.hpp"
#include "kernels/nas_is.hpp"
#include "kernels/nas_mg.hpp"
#include "kernels/queens.hpp"
#include "kernels/quicksort.hpp"
#include "kernels/sor.hpp"
#include "kernels/spmv.hpp"
#include "kernels/strided.hpp"
#include "kernels/transitive_closure.hpp"
#include "kernels/tsp.hpp"
#include "kernels/unit_loop.hpp"

namespace doall::bench {

// AFS's programs. door(k) runs the loops of any kernel k in parallel.
template <class Door>
std::vector<program> programs(Door door) {
  return {
      make_program<sor>("sor", "none", "yes", door),
      make_program<gauss>("gauss", "little", "yes", door),
      make_program<transitive_closure>("transitive-closure-random", "little", "yes", door,
                                       graph::random),
      make_program<transitive_closure>("transitive-closure-skewed", "large", "yes", door,
                                       graph::skewed),
      make_program<adjoint_convolution>("adjoint-convolution", "large", "no", door,
                                        direction::forward),
      make_program<adjoint_convolution>("adjoint-convolution-reversed", "large", "no", door,
                                        direction::reversed),
      make_program<l4>("l4", "little", "no", door),
      make_program<triangular>("triangular", "large", "no", door),
      make_program<parabolic>("parabolic", "large", "no", door),
      make_program<head_heavy>("head-heavy", "large", "no", door),
  };
}

// The program whose schedules deal the short iterations out first: by order=reverse
// where there is that, otherwise by a loop that counts down.
inline constexpr const char* reversed_program = "adjoint-convolution-reversed";

// A short loop to wake the threads up with.
template <class Door>
program warm_up_program(Door door) {
  return make_program<parabolic>("warm-up", "", "", door);
}

// The rows of Table 2, for doors that can be late.
struct late_row {
  const char* program;
  double delay;  // in parts of the N iterations' time on one thread
};
inline constexpr late_row late_rows[] = {
    {"late-start-0.0625N", 0.0625}, {"late-start-0.125N", 0.125},   {"late-start-0.1875N", 0.1875},
    {"late-start-0.2031N", 0.2031}, {"late-start-0.2187N", 0.2187}, {"late-start-0.25N", 0.25},
};

template <class Door>
std::vector<program> late_programs(Door door) {
  std::vector<program> all;
  for (const late_row& row : late_rows) {
    all.push_back(make_program<late_start>(row.program, "none", "no", door, row.delay));
  }
  return all;
}

// The list of the programs that fine-grain measures, beside AFS's.

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

// The list of the programs that hybrid measures: its two microbenchmarks, and kernels of the
// NAS Parallel Benchmarks.
//
// A microbenchmark's letter is its working set: S, M and L are half of the machine's last-level
// caches, all of them, and more. A NAS kernel's letter is its class. At size::small a program
// is of a hundred iterations, or of class S.
template <class Door>
void add_microbenchmarks(std::vector<program>& all, Door door) {
  struct row {
    const char* letter;
    working_set set;
  };
  constexpr row rows[] = {{"-S", working_set::half_of_cache},
                          {"-M", working_set::all_of_cache},
                          {"-L", working_set::beyond_cache}};
  for (const auto& [letter, set] : rows) {
    all.push_back(make_program<strided>(std::string("balanced") + letter, "none", "yes", door,
                                        balance::balanced, set));
    all.push_back(make_program<strided>(std::string("unbalanced") + letter, "large", "yes", door,
                                        balance::unbalanced, set));
  }
}

// Whether a program's loops have a result, which may be combined in another order.
enum class result { none, reduced };

template <class Kernel, class Door>
void add_nas(std::vector<program>& all, const std::string& name, const std::string& imbalance,
             const std::string& affinity, result r, Door door) {
  struct row {
    const char* letter;
    nas_class of;
  };
  constexpr row rows[] = {{"-S", nas_class::s}, {"-W", nas_class::w}, {"-A", nas_class::a}};
  for (const auto& [letter, of] : rows) {
    all.push_back(make_program<Kernel>(name + letter, imbalance, affinity, door, of));
    all.back().reduces = r == result::reduced;
  }
}

// door(k) runs the loops of any kernel k in parallel.
template <class Door>
std::vector<program> hybrid_programs(Door door) {
  std::vector<program> all;
  add_microbenchmarks(all, door);
  add_nas<nas_ep>(all, "nas-ep", "none", "no", result::reduced, door);
  add_nas<nas_is>(all, "nas-is", "large", "yes", result::none, door);
  add_nas<nas_cg>(all, "nas-cg", "little", "yes", result::reduced, door);
  add_nas<nas_mg>(all, "nas-mg", "none", "yes", result::reduced, door);
  add_nas<nas_ft>(all, "nas-ft", "none", "yes", result::reduced, door);
  return all;
}

// A loop to wake the threads up with: small, it has a hundred iterations of some 0.2 us.
template <class Door>
program hybrid_warm_up(Door door) {
  return make_program<strided>("warm-up", "none", "yes", door, balance::balanced,
                               working_set::half_of_cache);
}

// The list of the programs that LBS measures, by its Table 2: size::small is the table's
// training set, size::paper its execution set.
//
// All compute with integers, as the paper's do: any order gives the same bits.

// door(k) runs the loops of any kernel k in parallel.
template <class Door>
std::vector<program> nested_programs(Door door) {
  return {
      make_program<matmult>("matmult", "none", "no", door),
      make_program<convolution>("convolution", "none", "no", door),
      make_program<floyd_warshall>("floyd-warshall", "none", "yes", door),
      make_program<quicksort>("quicksort", "large", "no", door),
      make_program<breadth_first>("breadth-first", "little", "no", door),
      make_program<spmv>("spmv", "little", "no", door),
      make_program<tsp>("tsp", "little", "no", door),
      make_program<queens>("queens", "large", "no", door),
  };
}

// A nest to wake the threads up with: small, it takes some 0.1 ms.
template <class Door>
program nested_warm_up(Door door) {
  return make_program<matmult>("warm-up", "none", "no", door);
}

}  // namespace doall::bench
