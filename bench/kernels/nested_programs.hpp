// The list of the programs that LBS measures, by its Table 2: size::small is the table's
// training set, size::paper its execution set.
//
// All compute with integers, as the paper's do: any order gives the same bits.
#pragma once

#include "kernels/breadth-first/kernel.hpp"
#include "kernels/convolution/kernel.hpp"
#include "kernels/floyd-warshall/kernel.hpp"
#include "kernels/matmult/kernel.hpp"
#include "kernels/programs.hpp"
#include "kernels/queens/kernel.hpp"
#include "kernels/quicksort/kernel.hpp"
#include "kernels/spmv/kernel.hpp"
#include "kernels/tsp/kernel.hpp"

namespace doall::bench {

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
