// What `doall bench omp` and `doall bench tasks` have in common: lines, each of which OpenMP's two
// compilers compile from one source, on four lanes: libgomp, doall by GCC's door, libomp, doall by
// LLVM's door. A door's lane is its peer's binary with another library.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/experiment.hpp"
#include "driver/series.hpp"
#include "driver/verdict.hpp"

namespace doall::bench {

inline constexpr double most_over_peer = 1.02;

struct openmp_line {
  std::string name;
  std::vector<series> all;  // lanes

  // Null: does not take part.
  const series* of(const std::string& runtime, const std::string& door) const;
  const series* better_peer() const;
  const series* better_door() const;
};

// The lanes NAME-openmp-COMPILER.
contenders start_openmp_lanes(const contest& c, const std::string& name,
                              std::vector<std::string> arguments);

std::string to_text(const std::vector<openmp_line>& lines);

// Each door over the better peer, line by line, and over the peer of its own compiler; the better
// door over the better peer.
std::vector<verdict> judge_lines(const std::vector<openmp_line>& lines);

nlohmann::ordered_json to_json(const openmp_line& l);

// Prints the verdicts. Throws cli::failure when one is missed, unless `quick`.
void print_verdicts(const std::vector<verdict>& all, bool quick);

}  // namespace doall::bench
