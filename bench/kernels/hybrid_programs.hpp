// The list of the programs that hybrid measures: its two microbenchmarks, and kernels of the
// NAS Parallel Benchmarks.
//
// A microbenchmark's letter is its working set: S, M and L are half of the machine's last-level
// caches, all of them, and more. A NAS kernel's letter is its class. At size::small a program
// is of a hundred iterations, or of class S.
#pragma once

#include "kernels/nas-cg/kernel.hpp"
#include "kernels/nas-ep/kernel.hpp"
#include "kernels/nas-ft/kernel.hpp"
#include "kernels/nas-is/kernel.hpp"
#include "kernels/nas-mg/kernel.hpp"
#include "kernels/programs.hpp"
#include "kernels/strided/kernel.hpp"

namespace doall::bench {

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

}  // namespace doall::bench
