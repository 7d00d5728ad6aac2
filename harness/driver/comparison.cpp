#include "driver/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace doall::bench {
namespace {

using label = std::function<std::string(const entrant&)>;  // "": counts nowhere

std::vector<std::string> labels_of(const std::vector<program_result>& all, const label& of) {
  std::vector<std::string> found;
  for (const program_result& r : all) {
    for (const std::string& name : distinct(r.all, of)) {
      if (std::ranges::count(found, name) == 0) found.push_back(name);
    }
  }
  return found;
}

const series* fastest_labelled(const program_result& r, const label& of, const std::string& name) {
  return fastest_that(r.all, [&](const entrant& e) { return of(e) == name; });
}

mean_row mean_of(const comparison& b, const std::vector<program_result>& all, const label& of,
                 const std::string& name) {
  mean_row made{.of = name};
  std::vector<double> speed_ups;
  std::vector<double> over_reference;
  std::vector<double> subject_over;
  for (const program_result& r : all) {
    const series* best = fastest_labelled(r, of, name);
    if (best == nullptr) continue;
    speed_ups.push_back(ratio_of(r.serial.rounds_ns, best->rounds_ns).median);
    if (const series* reference = b.reference_in(r)) {
      over_reference.push_back(ratio_of(reference->rounds_ns, best->rounds_ns).median);
    }
    if (const series* subject = b.subject_in(r, best->of)) {
      subject_over.push_back(ratio_of(subject->rounds_ns, best->rounds_ns).median);
    }
    made.missed += static_cast<std::size_t>(
        std::ranges::count_if(rows_of(b, r), [&](const comparison_row& row) {
          return of(row.of->of) == name && !row.held().value_or(true);
        }));
  }
  made.speed_up = geometric_mean(speed_ups);
  if (!over_reference.empty()) made.over_reference = geometric_mean(over_reference);
  if (!subject_over.empty()) made.subject_over = geometric_mean(subject_over);
  return made;
}

}  // namespace

std::string to_text(const bar& b) {
  return fmt::format("{} {}", b.asked == bar::demand::ahead ? "<" : "<=", b.most);
}

const series* comparison::subject_in(const program_result& r, const entrant& other) const {
  const std::string name = "doall native " + schedule;
  const label alike = [](const entrant& e) { return name_of(e) + ", " + e.who->compiler; };
  if (const series* s = fastest_labelled(r, alike, name + ", " + other.who->compiler)) return s;
  const series* native = r.fastest(name);
  return native != nullptr ? native : r.fastest("doall gomp " + schedule);
}

const series* comparison::reference_in(const program_result& r) const {
  if (!reference) return nullptr;
  for (const std::string& name : reference->entrants) {
    if (const series* found = r.fastest(name)) return found;
  }
  return nullptr;
}

std::string family_of(const entrant& e) {
  const std::string name = name_of(e);
  const bool is_another =
      e.schedule.starts_with("static,") || e.schedule.find('=') != std::string::npos;
  return is_another ? name : name.substr(0, name.find(','));
}

const series* fastest_of_family(const program_result& r, const std::string& family) {
  return fastest_labelled(r, family_of, family);
}

std::string best_of_peer(const std::string& runtime) { return runtime + ", the best of all"; }

std::string peer_of(const entrant& e) { return e.is_ours() ? "" : best_of_peer(e.who->runtime); }

ratio mean_ratio_of(const std::vector<series_pair>& programs) {
  std::size_t rounds = programs.front().first->rounds_ns.size();
  for (const auto& [of, to] : programs) {
    rounds = std::min({rounds, of->rounds_ns.size(), to->rounds_ns.size()});
  }
  std::vector<double> means;
  for (std::size_t i = 0; i < rounds; ++i) {
    std::vector<double> ratios;
    for (const auto& [of, to] : programs) ratios.push_back(of->rounds_ns[i] / to->rounds_ns[i]);
    means.push_back(geometric_mean(ratios));
  }
  return median_ratio(means);
}

std::optional<bool> comparison_row::held() const {
  if (!most || !subject_over) return {};
  if (!subject_over->interval) {
    if (of->given_up) return subject_over->median < most->most;
    return {};
  }
  if (most->asked == bar::demand::ahead) return subject_over->median < most->most;
  return subject_over->interval->low <= most->most;
}

std::vector<comparison_row> rows_of(const comparison& b, const program_result& r) {
  const series* reference = b.reference_in(r);
  std::vector<comparison_row> rows;
  for (const std::string& name : r.names()) {
    comparison_row row{.of = r.fastest(name)};
    const series* subject = b.subject_in(r, row.of->of);
    if (subject != nullptr && row.of != subject) {
      row.subject_over = ratio_of(subject->rounds_ns, row.of->rounds_ns);
      row.most = b.most(r.program, row.of->of);
    }
    if (reference != nullptr) {
      row.over_reference = ratio_of(reference->rounds_ns, row.of->rounds_ns);
    }
    rows.push_back(row);
  }
  return rows;
}

std::vector<mean_row> means_of(const comparison& b, const std::vector<program_result>& all) {
  std::vector<mean_row> rows;
  for (const label& of : {label(family_of), label(peer_of)}) {
    for (const std::string& name : labels_of(all, of)) rows.push_back(mean_of(b, all, of, name));
  }
  return rows;
}

}  // namespace doall::bench
