#include "lbs/judgement.hpp"

#include <algorithm>

#include "lbs/inner_loops.hpp"

namespace doall::bench {
namespace {

// Everybody's whom the subject has a bar against, but for ours.
std::vector<std::string> peer_families(const stealing_benchmark& b,
                                       const std::vector<stealing_result>& all) {
  std::vector<std::string> found;
  for (const stealing_result& r : all) {
    for (const series& s : r.all) {
      const std::string family = family_of(s.of);
      if (s.of.is_ours() || !b.most(r.program, s.of)) continue;
      if (std::ranges::count(found, family) == 0) found.push_back(family);
    }
  }
  return found;
}

// A worker's nanoseconds for each inner loop: by how much longer the nest takes than the one with
// plain inner loops in the same round, while all workers are busy.
std::optional<verdict> inner_loop_verdict(const stealing_result& r, size s) {
  constexpr double most_ns = 20;
  const series* met = r.fastest("doall native lbs");
  const series* plain = r.fastest("doall native lbs/plain");
  if (met == nullptr || plain == nullptr) return {};
  const double loops_a_worker = static_cast<double>(inner_loops::loops(s)) /
                                static_cast<double>(met->of.who->lane->threads());
  std::vector<double> costs_ns;
  for (std::size_t i = 0; i < r.rounds(); ++i) {
    costs_ns.push_back((met->rounds_ns[i] - plain->rounds_ns[i]) / loops_a_worker);
  }
  verdict v{.of = "an inner loop, nobody idle, ns", .limit = "< 20", .where = r.program};
  v.found = {median_of(costs_ns), estimate_median(costs_ns)};
  if (v.found.interval) v.held = v.found.median < most_ns;
  return v;
}

}  // namespace

std::vector<verdict> judge_lbs(const stealing_benchmark& b,
                               const std::vector<stealing_result>& programs,
                               const std::vector<stealing_result>& side,
                               const std::string& size_name) {
  constexpr double efficiency_least = 0.98;
  std::vector<verdict> made;
  for (const std::string& family : peer_families(b, programs)) {
    if (auto v = mean_verdict(b, programs, family)) made.push_back(*std::move(v));
  }
  if (auto v = efficiency_verdict(programs, efficiency_least)) made.push_back(*std::move(v));
  const size s = size_name == "small" ? size::small : size::paper;
  for (const stealing_result& r : side) {
    if (auto v = inner_loop_verdict(r, s)) made.push_back(*std::move(v));
  }
  return made;
}

}  // namespace doall::bench
