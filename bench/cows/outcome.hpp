// What came of the programs in virtual time, and what was asked of it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cows/machine.hpp"
#include "kernels/cows-common/ordered_graph.hpp"

namespace doall::bench {

struct cows_outcome {
  std::string program;
  graph_input graph;
  std::size_t vertices = 0;
  std::size_t directed_edges = 0;
  std::size_t loops = 0;   // that the program runs
  std::size_t kept = 0;    // different ones that were run in virtual time
  bool is_costed = false;  // has loops whose costs are known before
  std::map<std::uint32_t, std::map<std::string, machine_figures>> figures =
      {};  // by workers, then schedule

  // The makespan of one schedule over that of another.
  double ratio(std::uint32_t workers, const std::string& of, const std::string& to) const {
    const auto& all = figures.at(workers);
    return all.at(of).makespan / all.at(to).makespan;
  }
};

// At the geometric mean of programs and numbers of workers.
double mean_ratio(const std::vector<const cows_outcome*>& programs, const std::string& of,
                  const std::string& to);

// Which graphs a mean is over.
enum class graph_group { all, power_law, roads };
std::vector<const cows_outcome*> of_group(const std::vector<cows_outcome>& all, graph_group group);

struct cows_demand {
  std::string asked;
  std::string limit;
  double found = 0;        // where it is held worst
  std::string where = {};  // "": of all together
  std::size_t cases = 1;
  std::vector<std::string> missed = {};  // of the cases

  bool held() const { return missed.empty(); }
};

// Of wsrw: fewest steals, balance, ahead of the others. Nothing is asked of no programs.
std::vector<cows_demand> demands_of(const std::vector<cows_outcome>& all);

}  // namespace doall::bench
