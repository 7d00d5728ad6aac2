#include "cows/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace doall::bench {
namespace {

template <class Visit>
void for_each_case(const std::vector<cows_outcome>& all, const Visit& visit) {
  for (const cows_outcome& one : all) {
    for (const auto& [workers, by_schedule] : one.figures) {
      visit(one, by_schedule, fmt::format("{} P={}", one.program, workers));
    }
  }
}

// A case of a demand with an upper limit.
void add(cows_demand& d, double found, bool held, const std::string& where) {
  ++d.cases;
  if (!held) d.missed.push_back(where);
  if (d.where.empty() || found > d.found) {
    d.found = found;
    d.where = where;
  }
}

cows_demand fewest_steals(const std::vector<cows_outcome>& all) {
  cows_demand d{.asked = "wsrw's steals over the fewer of wsr's and wsri's, costed loops",
                .limit = "<= 1",
                .cases = 0};
  for_each_case(all, [&](const cows_outcome& one, const auto& by, const std::string& where) {
    if (!one.is_costed) return;
    const double others = std::min(by.at("wsr").costed_steals, by.at("wsri").costed_steals);
    const double own = by.at("wsrw").costed_steals;
    const double ratio = others > 0 ? own / others : own > 0 ? INFINITY : 1;
    add(d, ratio, own <= others, where);
  });
  return d;
}

cows_demand balance(const std::vector<cows_outcome>& all) {
  constexpr double most = 1.05;
  cows_demand d{.asked = "wsrw's busiest worker over max(mean, largest reservation)",
                .limit = fmt::format("<= {}", most),
                .cases = 0};
  for_each_case(all, [&](const cows_outcome&, const auto& by, const std::string& where) {
    const double found = by.at("wsrw").executed.over_bound();
    add(d, found, found <= most, where);
  });
  return d;
}

}  // namespace

double mean_ratio(const std::vector<const cows_outcome*>& programs, const std::string& of,
                  const std::string& to) {
  double sum = 0;
  std::size_t cases = 0;
  for (const cows_outcome* one : programs) {
    for (const auto& [workers, by_schedule] : one->figures) {
      sum += std::log(one->ratio(workers, of, to));
      ++cases;
    }
  }
  return cases == 0 ? 1 : std::exp(sum / static_cast<double>(cases));
}

std::vector<const cows_outcome*> of_group(const std::vector<cows_outcome>& all, graph_group group) {
  std::vector<const cows_outcome*> some;
  for (const cows_outcome& one : all) {
    const bool is_road = is_road_network(one.graph.name);
    if (group == graph_group::power_law && is_road) continue;
    if (group == graph_group::roads && !is_road) continue;
    some.push_back(&one);
  }
  return some;
}

std::vector<cows_demand> demands_of(const std::vector<cows_outcome>& all) {
  if (all.empty()) return {};
  std::vector<cows_demand> demands{fewest_steals(all), balance(all)};
  for (const char* other : {"cyclic", "dynamic", "guided", "static"}) {
    cows_demand d{.asked = fmt::format("{}'s makespan over wsrw's, geometric mean", other),
                  .limit = "> 1"};
    d.found = mean_ratio(of_group(all, graph_group::all), other, "wsrw");
    if (d.found <= 1) d.missed.emplace_back("all");
    demands.push_back(std::move(d));
  }
  return demands;
}

}  // namespace doall::bench
