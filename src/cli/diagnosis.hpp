// What `doall run` can do for a program, as far as its file and the dynamic linker show it.
#pragma once

#include <string>
#include <vector>

#include "process/program.hpp"

namespace doall::cli {

// What of OpenMP a file calls.
struct openmp_calls {
  std::vector<std::string> steerable;  // entry points of loops that a schedule reaches
  bool regions = false;                // starts parallel regions

  bool any() const { return regions || !steerable.empty(); }
};

// A library that a program needs, and that calls OpenMP.
struct openmp_library {
  std::string path;
  openmp_calls calls;
  bool names_runtime = false;  // among what it needs
};

// What the user should know about a program before running it under doall.
struct diagnosis {
  program_file program;
  std::vector<std::string> runtimes;  // OpenMP runtimes among its DT_NEEDED
  std::vector<std::string> foreign;   // that would be loaded under `doall run`, and not doall's
  openmp_calls calls;
  std::vector<openmp_library> libraries;
  std::vector<std::string> missing;  // that it needs, and the dynamic linker does not find
  std::string refusal;               // why `doall run` would not start it
};

// Throws failure when there is no such file, or none that is for this machine.
diagnosis diagnose(const std::string& name);

// One sentence.
std::string verdict(const diagnosis& d);

}  // namespace doall::cli
