#include "driver/verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "driver/report.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

struct asked {
  std::string family;
  bar most;

  bool operator==(const asked&) const = default;
};

std::vector<asked> all_asked(const comparison& b, const std::vector<program_result>& all) {
  std::vector<asked> found;
  for (const program_result& r : all) {
    for (const comparison_row& row : rows_of(b, r)) {
      if (!row.most) continue;
      const asked one{family_of(row.of->of), *row.most};
      if (std::ranges::count(found, one) == 0) found.push_back(one);
    }
  }
  return found;
}

std::string number_text(const ratio& r) {
  if (!r.interval) return fmt::format("{:.4g}", r.median);
  return fmt::format("{:.4g} [{:.4g}, {:.4g}]", r.median, r.interval->low, r.interval->high);
}

std::string held_text(const verdict& v) {
  if (!v.held) return "too few rounds";
  if (*v.held) return "held";
  return v.missed.empty() ? "missed" : fmt::format("missed: {}", fmt::join(v.missed, ", "));
}

}  // namespace

void demand::add(const std::string& where, const ratio& found, std::optional<bool> held) {
  const bool is_worse =
      kind_ == limit::most ? found.median > made_.found.median : found.median < made_.found.median;
  if (made_.where.empty() || is_worse) {
    made_.found = found;
    made_.where = where;
  }
  if (!held) is_short_of_rounds_ = true;
  if (held == false) made_.missed.push_back(where);
}

void demand::miss(const std::string& where) {
  if (made_.where.empty()) made_.where = where;
  made_.missed.push_back(where);
}

std::optional<verdict> demand::made() const {
  if (made_.where.empty()) return {};
  verdict v = made_;
  if (!v.missed.empty()) {
    v.held = false;
  } else if (!is_short_of_rounds_) {
    v.held = true;
  }
  return v;
}

void add_to(std::vector<verdict>& all, std::optional<verdict> v) {
  if (v) all.push_back(*std::move(v));
}

std::vector<verdict> bar_verdicts(const comparison& b, const std::vector<program_result>& all) {
  std::vector<verdict> made;
  for (const asked& one : all_asked(b, all)) {
    demand d(b.schedule + " over " + one.family, to_text(one.most));
    for (const program_result& r : all) {
      const series* fastest = fastest_of_family(r, one.family);
      for (const comparison_row& row : rows_of(b, r)) {
        if (row.of != fastest || row.most != one.most) continue;
        d.add(r.program, *row.subject_over, row.held());
      }
    }
    add_to(made, d.made());
  }
  return made;
}

std::optional<verdict> best_verdict(const comparison& b, const std::vector<program_result>& all,
                                    const bar& most) {
  demand d(b.schedule + " over the best of the others", to_text(most));
  for (const program_result& r : all) {
    std::optional<comparison_row> best;
    for (const comparison_row& row : rows_of(b, r)) {
      if (!row.subject_over) continue;
      if (!best || median_of(row.of->rounds_ns) < median_of(best->of->rounds_ns)) best = row;
    }
    if (!best) continue;
    best->most = most;
    d.add(r.program, *best->subject_over, best->held());
  }
  return d.made();
}

std::optional<verdict> mean_verdict(const comparison& b, const std::vector<program_result>& all,
                                    const std::string& family) {
  std::vector<series_pair> programs;
  bool hopeless = false;  // so that there are too few rounds for an interval
  for (const program_result& r : all) {
    const series* other = fastest_of_family(r, family);
    const series* subject = other == nullptr ? nullptr : b.subject_in(r, other->of);
    if (subject == nullptr) return {};
    programs.emplace_back(subject, other);
    hopeless = hopeless || other->given_up;
  }
  if (programs.empty()) return {};
  verdict v{.of = fmt::format("{} over {}, geometric mean", b.schedule, family), .limit = "< 1"};
  v.found = mean_ratio_of(programs);
  if (v.found.interval || hopeless) v.held = v.found.median < 1;
  return v;
}

std::optional<verdict> efficiency_verdict(const std::vector<program_result>& all, double least) {
  demand d("serial over one worker", fmt::format(">= {}", least), demand::limit::least);
  for (const program_result& r : all) {
    const auto one = std::ranges::find(r.all, std::string(one_worker_door),
                                       [](const series& s) { return s.of.who->door; });
    if (one == r.all.end()) continue;
    const ratio found = ratio_of(r.serial.rounds_ns, one->rounds_ns);
    d.add(r.program, found, found.interval ? std::optional(found.median >= least) : std::nullopt);
  }
  return d.made();
}

std::string to_text(const std::vector<verdict>& all) {
  cli::table table({"asked", "limit", ">worst, 95%", "on", "verdict"});
  for (const verdict& v : all) {
    table.add_row(
        {v.of, v.limit, number_text(v.found), v.where.empty() ? "-" : v.where, held_text(v)});
  }
  return table.to_text();
}

nlohmann::ordered_json to_json(const verdict& v) {
  return {{"of", v.of},         {"limit", v.limit},        {"found", to_json(v.found)},
          {"program", v.where}, {"held", or_null(v.held)}, {"missed", v.missed}};
}

}  // namespace doall::bench
