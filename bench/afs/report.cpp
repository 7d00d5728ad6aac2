#include "afs/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/table.hpp"
#include "common/load_watch.hpp"
#include "common/machine.hpp"

namespace doall::bench {
namespace {

using cli::align;
using nlohmann::ordered_json;

// A runtime through one door, whatever its setting: a group of columns.
std::string group_of(const entrant& e) {
  return e.is_ours() ? "doall " + e.who->door : e.who->runtime;
}

// In the order in which they first appear.
template <class Name>
std::vector<std::string> distinct(const std::vector<series>& all, Name name) {
  std::vector<std::string> found;
  for (const series& s : all) {
    if (std::ranges::count(found, name(s.of)) == 0) found.push_back(name(s.of));
  }
  return found;
}

// The schedule as all runtimes write it: a reversed loop's is the loop's own
// matter for those that count down.
std::string common_name(const entrant& e) {
  const std::string reverse = ",order=reverse";
  return e.schedule.ends_with(reverse) ? e.schedule.substr(0, e.schedule.size() - reverse.size())
                                       : e.schedule;
}

// Of a group's settings the one that is faster under that schedule; null: not tried.
const series* fastest(const std::vector<series>& all, const std::string& group,
                      const std::string& schedule) {
  const series* best = nullptr;
  for (const series& s : all) {
    if (group_of(s.of) != group || common_name(s.of) != schedule) continue;
    if (best == nullptr || s.median_ns() < best->median_ns()) best = &s;
  }
  return best;
}

std::string ms_text(double ns) { return fmt::format("{:.3f}", ns / 1e6); }

// A star for a peer that waits actively.
std::string star(const series& s) { return s.of.who->setting.empty() ? " " : "*"; }

std::string winner_text(const series& s) {
  const std::string& setting = s.of.who->setting;
  return fmt::format("{} {}{}, {} ms", group_of(s.of), s.of.schedule,
                     setting.empty() ? "" : ", " + setting, ms_text(s.median_ns()));
}

std::string verdict_text(std::optional<bool> no_slower) {
  if (!no_slower) return "not known";
  return *no_slower ? "yes" : "NO";
}

std::string ratio_text(const std::optional<estimate>& ratio) {
  return ratio ? fmt::format("{:.3f} [{:.3f}, {:.3f}]", ratio->median, ratio->low, ratio->high)
               : "-";
}

std::string setting_text(const afs_report& r) {
  std::string text = fmt::format("size {},\n{} threads{}, on {}", r.size, r.setting.threads,
                                 r.setting.pinned ? ", pinned" : "", machine_name());
  for (const std::string& who : r.left_out) text += "\nLeft out: " + who;
  return text;
}

// A tenth of a microsecond is finer than such loops repeat.
double rounded(double ns) { return std::round(ns / 100) * 100; }

ordered_json series_json(const series& s) {
  const contender& who = *s.of.who;
  const summary ns = summarise(s.runs_ns);
  std::vector<double> rounds_ns = s.rounds_ns;
  for (double& round : rounds_ns) round = rounded(round);
  return {
      {"runtime", who.runtime},          {"door", who.door},
      {"schedule", s.of.schedule},       {"setting", who.setting},
      {"threads", who.lane->threads()},  {"library", who.lane->library()},
      {"median_ns", rounded(ns.median)}, {"min_ns", rounded(ns.min)},
      {"max_ns", rounded(ns.max)},       {"p5_ns", rounded(ns.p5)},
      {"p95_ns", rounded(ns.p95)},       {"stayed_part", s.stayed_part},
      {"rounds_ns", rounds_ns},
  };
}

ordered_json all_json(const std::vector<series>& all) {
  ordered_json list = ordered_json::array();
  for (const series& s : all) list.push_back(series_json(s));
  return list;
}

ordered_json maybe(std::optional<bool> value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json duel_json(const duel& d) {
  ordered_json json = series_json(d.other);
  json["ratio_of_ours"] = nullptr;
  if (d.ratio) {
    json["ratio_of_ours"] = {
        {"median", d.ratio->median}, {"low", d.ratio->low}, {"high", d.ratio->high}};
  }
  json["no_slower"] = maybe(no_slower(d));
  return json;
}

ordered_json program_json(const program_result& r) {
  ordered_json json{
      {"program", r.program},
      {"imbalance", r.imbalance},
      {"affinity", r.affinity},
      {"serial_ns", rounded(r.chosen_from.serial_ns)},
      {"no_slower", maybe(no_slower(r))},
      {"ours", r.ours ? series_json(*r.ours) : ordered_json(nullptr)},
      {"peers", ordered_json::array()},
      {"told_costs", nullptr},
      {"rows", all_json(r.chosen_from.all)},
  };
  for (const duel& d : r.peers) json["peers"].push_back(duel_json(d));
  if (r.told) json["told_costs"] = duel_json(*r.told);
  return json;
}

ordered_json late_json(const late_result& r, unsigned threads) {
  return {{"program", r.program},
          {"delay", r.delay},
          {"serial_ns", rounded(r.times.serial_ns)},
          {"bound_ns", rounded(r.bound_ns(threads))},
          {"rows", all_json(r.times.all)}};
}

}  // namespace

std::string header_text(const afs_report& r) {
  return fmt::format(
      "Programs of AFS, {} rounds to choose the best and {} rounds of the best, {}\n"
      "ms: the median of a run; stay: iterations on the thread that ran them last; *: waits "
      "actively\n",
      r.rounds.choosing, r.rounds.last(), setting_text(r));
}

std::string late_header_text(const afs_report& r) {
  return fmt::format(
      "A balanced loop of N iterations that one worker is late to by as long as so many take\n"
      "(AFS, Table 2), {} rounds, {}\n"
      "Time over the fastest one's; *: waits actively\n\n",
      r.rounds.choosing, setting_text(r));
}

std::string to_text(const program_result& r) {
  const auto groups = distinct(r.chosen_from.all, group_of);
  std::vector<cli::table::column> columns{{"schedule"}};
  for (const std::string& group : groups) {
    columns.push_back({group + " ms", align::right});
    columns.push_back({"p5..p95", align::right});
    columns.push_back({"stay", align::right});
  }
  cli::table table(std::move(columns));
  for (const std::string& schedule : distinct(r.chosen_from.all, common_name)) {
    std::vector<std::string> cells{schedule};
    for (const std::string& group : groups) {
      const series* s = fastest(r.chosen_from.all, group, schedule);
      if (s == nullptr) {
        cells.insert(cells.end(), {"- ", "-", "-"});
        continue;
      }
      const summary ns = summarise(s->runs_ns);
      cells.push_back(ms_text(ns.median) + star(*s));
      cells.push_back(ms_text(ns.p5) + ".." + ms_text(ns.p95));
      cells.push_back(cli::percent_text(s->stayed_part));
    }
    table.add_row(std::move(cells));
  }

  std::string text = fmt::format(
      "\n{}: imbalance {}, affinity {}, {} ms on one thread without a runtime\n{}", r.program,
      r.imbalance, r.affinity, ms_text(r.chosen_from.serial_ns), table.to_text());
  if (!r.ours) return text;
  text += "best: " + winner_text(*r.ours) + '\n';
  for (const duel& d : r.peers) {
    text += fmt::format("  {} of {}\n", ratio_text(d.ratio), winner_text(d.other));
  }
  if (r.told) {
    text += fmt::format("  {} of {}, which is told the costs\n", ratio_text(r.told->ratio),
                        winner_text(r.told->other));
  }
  return text;
}

std::string to_text(const std::vector<late_result>& late, unsigned threads) {
  std::vector<cli::table::column> columns{{"schedule"}, {"runtime"}};
  for (const late_result& row : late)
    columns.push_back({fmt::format("{}N", row.delay), align::right});
  cli::table table(columns);
  std::vector<std::string> fastest_cells{"fastest, ms", ""};
  std::vector<std::string> bound_cells{"bound, ms", ""};
  for (const late_result& row : late) {
    fastest_cells.push_back(ms_text(row.fastest_ns()) + ' ');
    bound_cells.push_back(ms_text(row.bound_ns(threads)) + ' ');
  }
  for (const std::string& group : distinct(late.front().times.all, group_of)) {
    for (const std::string& schedule : distinct(late.front().times.all, common_name)) {
      std::vector<std::string> cells{schedule, group};
      for (const late_result& row : late) {
        const series* s = fastest(row.times.all, group, schedule);
        if (s == nullptr) break;
        cells.push_back(fmt::format("{:.2f}{}", s->median_ns() / row.fastest_ns(), star(*s)));
      }
      if (cells.size() == columns.size()) table.add_row(std::move(cells));
    }
  }
  table.add_row(std::move(fastest_cells));
  table.add_row(std::move(bound_cells));
  return table.to_text();
}

std::string footer_text(const afs_report& r) {
  std::string text = "\n" + load_text(r.others_share);
  if (r.programs.empty()) return text;
  std::vector<cli::table::column> columns{{"program"}, {"our best"}};
  for (const duel& d : r.programs.front().peers) {
    columns.push_back({"to " + d.other.of.who->runtime + "'s best, 95%", align::right});
  }
  columns.push_back({fmt::format("no slower ({:.2f})", ratio_limit)});
  cli::table table(std::move(columns));
  for (const program_result& p : r.programs) {
    if (!p.ours) return text;
    std::vector<std::string> cells{p.program, common_name(p.ours->of)};
    for (const duel& d : p.peers) cells.push_back(ratio_text(d.ratio));
    cells.push_back(verdict_text(no_slower(p)));
    table.add_row(std::move(cells));
  }
  return text + table.to_text();
}

ordered_json to_json(const afs_report& r) {
  ordered_json json{
      {"schema", "doall-bench-afs/1"},
      {"machine", machine_name()},
      {"size", r.size},
      {"threads", r.setting.threads},
      {"pinned", r.setting.pinned},
      {"rounds", {{"choosing", r.rounds.choosing}, {"last", r.rounds.last()}}},
      {"ratio_limit", ratio_limit},
      {"others_cpu_share", r.others_share},
      {"programs", ordered_json::array()},
      {"late", ordered_json::array()},
      {"left_out", r.left_out},
  };
  for (const program_result& p : r.programs) json["programs"].push_back(program_json(p));
  for (const late_result& row : r.late) json["late"].push_back(late_json(row, r.setting.threads));
  return json;
}

}  // namespace doall::bench
