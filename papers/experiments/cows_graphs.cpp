#include "experiments/cows_graphs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/rng.hpp"
#include "kernels/graph.hpp"

namespace doall::bench {
namespace {

constexpr std::size_t vertices = std::size_t{1} << 15;
using edges = std::vector<undirected_graph::edge>;

double draw(base::rng& dice) { return std::ldexp(static_cast<double>(dice.next() >> 11), -53); }

vertex vertex_of(std::size_t v) { return static_cast<vertex>(v); }

// Running sums of (v + a)^-s, so that the first vertex has `part` of all.
std::vector<double> weights(double part) {
  constexpr double a = 1;
  const auto sums_with = [](double s) {
    std::vector<double> sums(vertices);
    double sum = 0;
    for (std::size_t v = 0; v < vertices; ++v) {
      sums[v] = sum += std::pow(static_cast<double>(v) + a, -s);
    }
    return sums;
  };
  double low = 0;
  double high = 1.5;
  constexpr int halvings = 30;
  for (int k = 0; k < halvings; ++k) {
    const double s = (low + high) / 2;
    const std::vector<double> sums = sums_with(s);
    (sums[0] / sums.back() < part ? low : high) = s;
  }
  return sums_with(high);
}

edges power_law(const printed_graph& of, base::rng& dice) {
  const double part = std::max(of.largest_degree / (2 * of.edges), 2.0 / vertices);
  const std::vector<double> sums = weights(part);
  std::vector<vertex> names(vertices);
  std::iota(names.begin(), names.end(), vertex{0});
  for (std::size_t v = vertices; v-- > 1;) std::swap(names[v], names[dice.below(v + 1)]);
  const auto end = [&] {
    const auto at = std::ranges::upper_bound(sums, draw(dice) * sums.back());
    return names[std::min<std::size_t>(at - sums.begin(), vertices - 1)];
  };
  edges all;
  const auto wanted = static_cast<std::size_t>(of.edges / of.vertices * vertices);
  while (all.size() < wanted) all.push_back({end(), end()});
  return all;
}

edges lattice(const printed_graph& of, base::rng& dice) {
  constexpr std::size_t columns = 512;
  constexpr std::size_t rows = vertices / columns;
  constexpr double all_edges = 2.0 * vertices - columns - rows;
  const double kept = of.edges / of.vertices * vertices / all_edges;
  edges all;
  for (std::size_t v = 0; v < vertices; ++v) {
    if ((v + 1) % columns != 0 && draw(dice) < kept)
      all.push_back({vertex_of(v), vertex_of(v + 1)});
    if (v + columns < vertices && draw(dice) < kept) {
      all.push_back({vertex_of(v), vertex_of(v + columns)});
    }
  }
  return all;
}

// Without vertices that have no edges: how many are left.
std::size_t renumber(edges& all) {
  std::erase_if(all, [](const undirected_graph::edge& e) { return e.from == e.to; });
  std::vector<bool> is_used(vertices);
  for (const auto& [from, to] : all) is_used[from] = is_used[to] = true;
  std::vector<vertex> names(vertices);
  vertex next = 0;
  for (std::size_t v = 0; v < vertices; ++v) {
    if (is_used[v]) names[v] = next++;
  }
  for (auto& [from, to] : all) {
    from = names[from];
    to = names[to];
  }
  return next;
}

}  // namespace

const std::vector<printed_graph>& printed_graphs() {
  static const std::vector<printed_graph> all{{"Youtube", false, 1.13e6, 2.98e6, 1, 28.8e3},
                                              {"LiveJournal", false, 4.84e6, 68.99e6, 1, 2.7e3},
                                              {"Orkut", false, 3.07e6, 117.18e6, 1, 27.5e3},
                                              {"RoadNet-CA", true, 1.96e6, 2.76e6, 1, 12},
                                              {"RoadNet-PA", true, 1.08e6, 1.54e6, 1, 9}};
  return all;
}

shared_ordered_graph scaled_down(const printed_graph& of) {
  static std::map<std::string, shared_ordered_graph> made;
  shared_ordered_graph& here = made[of.name];
  if (!here) {
    base::rng dice(std::string_view(of.name).size());
    edges all = of.is_road ? lattice(of, dice) : power_law(of, dice);
    const std::size_t left = renumber(all);
    here = std::make_shared<ordered_graph>(undirected_graph(left, all), vertex_order::given);
  }
  return here;
}

}  // namespace doall::bench
