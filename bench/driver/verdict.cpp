#include "driver/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/table.hpp"

namespace doall::bench {
namespace {

struct asked {
  std::string family;
  bar most;

  bool operator==(const asked&) const = default;
};

std::vector<asked> all_asked(const stealing_benchmark& b, const std::vector<stealing_result>& all) {
  std::vector<asked> found;
  for (const stealing_result& r : all) {
    for (const comparison_row& row : rows_of(b, r)) {
      if (!row.most) continue;
      const asked one{family_of(row.of->of), *row.most};
      if (std::ranges::count(found, one) == 0) found.push_back(one);
    }
  }
  return found;
}

// Adds a program's number to a verdict that is the worst of all.
void add(verdict& v, const std::string& program, const ratio& found, bool is_worse,
         std::optional<bool> held) {
  const bool first = v.where.empty();
  if (first || is_worse) {
    v.found = found;
    v.where = program;
  }
  if (held == false) v.missed.push_back(program);
  if (first) {
    v.held = held;
  } else if (v.held && *v.held) {
    v.held = held;
  } else if (held == false) {
    v.held = false;
  }
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

std::vector<verdict> bar_verdicts(const stealing_benchmark& b,
                                  const std::vector<stealing_result>& all) {
  std::vector<verdict> made;
  for (const asked& one : all_asked(b, all)) {
    verdict v{.of = b.schedule + " over " + one.family, .limit = to_text(one.most)};
    for (const stealing_result& r : all) {
      const series* fastest = fastest_of_family(r, one.family);
      for (const comparison_row& row : rows_of(b, r)) {
        if (row.of != fastest || row.most != one.most) continue;
        add(v, r.program, *row.subject_over, row.subject_over->median > v.found.median, row.held());
      }
    }
    made.push_back(std::move(v));
  }
  return made;
}

std::optional<verdict> best_verdict(const stealing_benchmark& b,
                                    const std::vector<stealing_result>& all, const bar& most) {
  verdict v{.of = b.schedule + " over the best of the others", .limit = to_text(most)};
  for (const stealing_result& r : all) {
    std::optional<comparison_row> best;
    for (const comparison_row& row : rows_of(b, r)) {
      if (!row.subject_over) continue;
      if (!best || median_of(row.of->rounds_ns) < median_of(best->of->rounds_ns)) best = row;
    }
    if (!best) continue;
    best->most = most;
    add(v, r.program, *best->subject_over, best->subject_over->median > v.found.median,
        best->held());
  }
  return v.where.empty() ? std::nullopt : std::optional(v);
}

std::optional<verdict> mean_verdict(const stealing_benchmark& b,
                                    const std::vector<stealing_result>& all,
                                    const std::string& family) {
  std::vector<series_pair> programs;
  bool hopeless = false;  // so that there are too few rounds for an interval
  for (const stealing_result& r : all) {
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

std::optional<verdict> efficiency_verdict(const std::vector<stealing_result>& all, double least) {
  verdict v{.of = "serial over one worker", .limit = fmt::format(">= {}", least)};
  for (const stealing_result& r : all) {
    const auto one = std::ranges::find(r.all, std::string(one_worker_door),
                                       [](const series& s) { return s.of.who->door; });
    if (one == r.all.end()) continue;
    const ratio found = ratio_of(r.serial.rounds_ns, one->rounds_ns);
    add(v, r.program, found, found.median < v.found.median,
        found.interval ? std::optional(found.median >= least) : std::nullopt);
  }
  return v.where.empty() ? std::nullopt : std::optional(v);
}

std::string to_text(const std::vector<verdict>& all) {
  cli::table table({{"asked"}, {"limit"}, {"worst, 95%", cli::align::right}, {"on"}, {"verdict"}});
  for (const verdict& v : all) {
    table.add_row(
        {v.of, v.limit, number_text(v.found), v.where.empty() ? "-" : v.where, held_text(v)});
  }
  return table.to_text();
}

nlohmann::ordered_json to_json(const std::vector<verdict>& all) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const verdict& v : all) {
    list.push_back({{"of", v.of},
                    {"limit", v.limit},
                    {"found", to_json(v.found)},
                    {"program", v.where},
                    {"held", nullptr},
                    {"missed", v.missed}});
    if (v.held) list.back()["held"] = *v.held;
  }
  return list;
}

}  // namespace doall::bench
