#include "experiments/auto.hpp"

#include <fmt/format.h>

namespace doall::bench::auto_choice {
namespace {

constexpr double best_mean_most = 1.03;
constexpr double best_worst_most = 1.10;
constexpr double peer_worst_most = 1.03;

using over = ratio (*)(const auto_result&, const rival&);

verdict mean_verdict(const std::string& of, const std::string& limit, double found, bool held) {
  return {.of = of, .limit = limit, .found = {found}, .held = held};
}

void judge_best(const measurement& m, const std::string& what, over ratio_over,
                std::vector<verdict>& all) {
  std::vector<double> ratios;
  demand worst(what + " over the best schedule's", fmt::format("<= {}", best_worst_most));
  for (const auto_result& r : m.programs) {
    const ratio found = ratio_over(r, r.best_schedule());
    ratios.push_back(found.median);
    worst.add(r.program, found, found.median <= best_worst_most);
  }
  const double mean = geometric_mean(ratios);
  all.push_back(mean_verdict(what + " over the best schedule's, mean",
                             fmt::format("<= {}", best_mean_most), mean, mean <= best_mean_most));
  add_to(all, worst.made());
}

void judge_peers(const measurement& m, const std::string& what, over ratio_over,
                 std::vector<verdict>& all) {
  std::map<std::string, std::vector<double>> ratios;
  demand worst(what + " over the best peer's", fmt::format("<= {}", peer_worst_most));
  for (const auto_result& r : m.programs) {
    for (const rival& other : r.rivals) {
      if (!other.name.starts_with("doall"))
        ratios[other.name].push_back(ratio_over(r, other).median);
    }
    if (const rival* peer = r.best_peer()) {
      const ratio found = ratio_over(r, *peer);
      worst.add(r.program, found, found.median <= peer_worst_most);
    }
  }
  for (const auto& [name, of] : ratios) {
    const double mean = geometric_mean(of);
    all.push_back(
        mean_verdict(fmt::format("{} over {}'s, mean", what, name), "< 1", mean, mean < 1));
  }
  add_to(all, worst.made());
}

void judge_learner(const measurement& m, const std::string& what, over ratio_over,
                   std::vector<verdict>& all) {
  std::vector<double> ratios;
  for (const auto_result& r : m.programs)
    if (const rival* other = r.learnt()) ratios.push_back(ratio_over(r, *other).median);
  if (ratios.empty()) return;
  const double mean = geometric_mean(ratios);
  all.push_back(mean_verdict(what + " over the learner's, mean", "< 1", mean, mean < 1));
}

}  // namespace

std::vector<schedule_mean> means_of(const measurement& m) {
  std::vector<schedule_mean> all;
  for (const std::string& schedule : m.schedules) {
    if (schedule == subject) continue;
    std::vector<double> ratios;
    for (const auto_result& r : m.programs)
      ratios.push_back(r.found_ns.at(subject) / r.found_ns.at(schedule));
    all.push_back(
        {schedule, geometric_mean(ratios), std::ranges::min(ratios), std::ranges::max(ratios)});
  }
  std::ranges::sort(all, std::ranges::greater{}, &schedule_mean::mean);
  return all;
}

std::vector<verdict> judge(const measurement& m) {
  std::vector<verdict> all;
  judge_best(m, "tenth call", tenth_over, all);
  judge_best(m, "first call", first_over, all);
  judge_peers(m, "tenth call", tenth_over, all);
  judge_peers(m, "first call", first_over, all);
  judge_learner(m, "tenth call", tenth_over, all);
  judge_learner(m, "first call", first_over, all);
  const std::vector<schedule_mean> means = means_of(m);
  if (!means.empty()) {
    all.push_back(
        mean_verdict(fmt::format("over the best single schedule, {}, mean", means.front().schedule),
                     "< 1", means.front().mean, means.front().mean < 1));
  }
  return all;
}

}  // namespace doall::bench::auto_choice
