// The one list of the programs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/adjoint-convolution/kernel.hpp"
#include "kernels/gauss/kernel.hpp"
#include "kernels/head-heavy/kernel.hpp"
#include "kernels/l4/kernel.hpp"
#include "kernels/late-start/kernel.hpp"
#include "kernels/parabolic/kernel.hpp"
#include "kernels/sor/kernel.hpp"
#include "kernels/transitive-closure/kernel.hpp"
#include "kernels/triangular/kernel.hpp"

namespace doall::bench {

// A kernel with its input, and how its loops are run.
struct program {
  std::string name;
  std::string imbalance;  // in the words of AFS's Table 1
  std::string affinity;
  std::function<std::unique_ptr<kernel>(size)> make;
  std::function<void(kernel&)> serial;    // for kernels that `make` has made
  std::function<void(kernel&)> parallel;  // likewise; through one door, on its schedule of now
  bool reduces = false;                   // is a reduction, so that its order can be chosen
};

template <class Kernel, class Door, class... Input>
program make_program(std::string name, std::string imbalance, std::string affinity, Door door,
                     Input... input) {
  return {std::move(name),
          std::move(imbalance),
          std::move(affinity),
          [input...](size s) { return std::make_unique<Kernel>(s, input...); },
          [](kernel& k) { run_serial(static_cast<Kernel&>(k)); },
          [door](kernel& k) { door(static_cast<Kernel&>(k)); }};
}

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

}  // namespace doall::bench
