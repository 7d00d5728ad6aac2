#include "experiments/afs_programs.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/rng.hpp"

namespace doall::bench::afs_virtual {
namespace {

using sim::block_use;

constexpr double number_bytes = 4;
constexpr double edge_bytes = 1;

std::uint32_t block_of(u64 row) { return static_cast<std::uint32_t>(row); }

sim::program on_matrix(std::string name, u64 rows, double element_bytes = number_bytes) {
  sim::program made;
  made.name = std::move(name);
  made.blocks = block_of(rows);
  made.block_bytes = element_bytes * static_cast<double>(rows);
  return made;
}

// edges[k][i]: whether node i has an edge to k when loop k begins.
using edges_by_loop = std::vector<std::vector<bool>>;

edges_by_loop close(std::vector<std::vector<bool>> adjacent) {
  const std::size_t nodes = adjacent.size();
  edges_by_loop seen(nodes, std::vector<bool>(nodes));
  for (std::size_t k = 0; k < nodes; ++k) {
    for (std::size_t i = 0; i < nodes; ++i) {
      if (!adjacent[i][k]) continue;
      seen[k][i] = true;
      if (i == k) continue;
      for (std::size_t j = 0; j < nodes; ++j) {
        if (adjacent[k][j]) adjacent[i][j] = true;
      }
    }
  }
  return seen;
}

sim::program closure(std::string name, const std::vector<std::vector<bool>>& adjacent) {
  const u64 nodes = adjacent.size();
  sim::program made = on_matrix(std::move(name), nodes, edge_bytes);
  made.loops = nodes;
  const auto edges = std::make_shared<const edges_by_loop>(close(adjacent));
  made.loop = [edges, nodes](u64 k) {
    const std::vector<bool>& to_k = (*edges)[k];
    std::vector<double> costs(nodes, 1);
    for (u64 i = 0; i < nodes; ++i) {
      if (to_k[i]) costs[i] = static_cast<double>(nodes);
    }
    return sim::program_loop{.iterations = nodes,
                             .costs = sim::iteration_costs(costs),
                             .uses = [edges, k](u64 i, std::vector<block_use>& to) {
                               if (!(*edges)[k][i]) return;
                               to.push_back({block_of(k)});
                               to.push_back({.block = block_of(i), .writes = true});
                             }};
  };
  return made;
}

sim::program one_loop(std::string name, std::vector<double> costs) {
  sim::program made;
  made.name = std::move(name);
  made.loops = 1;
  made.loop = [costs = std::move(costs)](u64) {
    return sim::program_loop{.iterations = costs.size(), .costs = sim::iteration_costs(costs)};
  };
  return made;
}

std::vector<double> costs_of(std::string_view shape, u64 iterations) {
  const sim::cost_shape& found = *sim::find_cost_shape(shape);
  std::vector<double> costs(iterations);
  for (u64 i = 0; i < iterations; ++i) costs[i] = found.cost(i, iterations);
  return costs;
}

}  // namespace

sim::program relaxation(u64 rows, u64 times, double cost) {
  sim::program made = on_matrix("SOR", rows);
  made.loops = times;
  made.loop = [rows, cost](u64) {
    return sim::program_loop{.iterations = rows,
                             .costs = sim::iteration_costs(cost * static_cast<double>(rows)),
                             .uses = [rows](u64 i, std::vector<block_use>& to) {
                               if (i != 0) to.push_back({block_of(i - 1)});
                               if (i + 1 != rows) to.push_back({block_of(i + 1)});
                               to.push_back({.block = block_of(i), .writes = true});
                             }};
  };
  return made;
}

sim::program elimination(u64 rows) {
  sim::program made = on_matrix("Gauss elimination", rows);
  made.loops = rows - 1;
  made.loop = [rows](u64 k) {
    const auto left = static_cast<double>(rows - k);  // of each row
    const double part = left / static_cast<double>(rows);
    return sim::program_loop{
        .iterations = rows - k - 1,
        .costs = sim::iteration_costs(left),
        .uses = [k, part](u64 i, std::vector<block_use>& to) {
          to.push_back({.block = block_of(k), .part = part});
          to.push_back({.block = block_of(k + 1 + i), .writes = true, .part = part});
        }};
  };
  return made;
}

sim::program random_closure(u64 nodes) {
  constexpr u64 percent = 8;
  base::rng random(1);
  std::vector<std::vector<bool>> adjacent(nodes, std::vector<bool>(nodes));
  for (auto& of_node : adjacent) {
    for (u64 j = 0; j < nodes; ++j) of_node[j] = random.below(100) < percent;
  }
  return closure("closure, random", adjacent);
}

sim::program clique_closure(u64 nodes, u64 clique) {
  std::vector<std::vector<bool>> adjacent(nodes, std::vector<bool>(nodes));
  for (u64 i = 0; i < clique; ++i) std::fill_n(adjacent[i].begin(), clique, true);
  return closure("closure, clique", adjacent);
}

sim::program shaped(std::string_view shape, u64 iterations) {
  return one_loop(std::string(shape), costs_of(shape, iterations));
}

sim::program reversed(std::string_view shape, u64 iterations) {
  std::vector<double> costs = costs_of(shape, iterations);
  std::ranges::reverse(costs);
  return one_loop(std::string(shape) + ", reversed", std::move(costs));
}

sim::program balanced(u64 iterations) {
  return one_loop("balanced", std::vector<double>(iterations, 1));
}

sim::program l4() {
  constexpr u64 rounds = 50;
  constexpr u64 nests = 3;
  sim::program made;
  made.name = "L4";
  made.loops = rounds * nests;
  made.sites = nests;
  made.loop = [](u64 k) {
    base::rng random(k + 1);
    const auto is_true = [&] { return random.below(2) == 1; };
    std::vector<double> costs;
    switch (k % nests) {
      case 0:
        costs.resize(1000);
        for (double& c : costs) c = is_true() ? 60 : 10;
        break;
      case 1:
        costs.resize(100);
        for (double& c : costs) {
          c = 50;
          for (int inner = 0; inner < 5; ++inner) c += is_true() ? 130 : 100;
        }
        break;
      default: costs.assign(80, 30); break;
    }
    return sim::program_loop{.iterations = costs.size(), .costs = sim::iteration_costs(costs)};
  };
  return made;
}

}  // namespace doall::bench::afs_virtual
