#include "driver/stealing_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/table.hpp"
#include "driver/load_watch.hpp"
#include "driver/machine.hpp"
#include "driver/verdict.hpp"

namespace doall::bench {
namespace {

using cli::align;
using nlohmann::ordered_json;

std::string bar_text(const comparison_row& r) {
  if (!r.most) return "-";
  const auto held = r.held();
  const char* verdict = !held ? "too few rounds" : *held ? "held" : "missed";
  return fmt::format("{} {}", to_text(*r.most), verdict);
}

ordered_json bar_json(const comparison_row& r) {
  if (!r.most) return nullptr;
  ordered_json json{{"most", r.most->most},
                    {"demand", r.most->asked == bar::demand::ahead ? "ahead" : "no more"},
                    {"held", nullptr}};
  if (const auto held = r.held()) json["held"] = *held;
  return json;
}

// What was searched: our schedules with a parameter that the lane has several of.
std::vector<std::string> searched_families(const stealing_result& r) {
  std::vector<std::string> found;
  std::vector<std::string> once;
  for (const series& s : r.all) {
    if (!s.of.is_ours() || s.of.schedule.find(',') == std::string::npos) continue;
    if (s.of.who->door != "native") continue;
    const std::string family = family_of(s.of);
    std::vector<std::string>& to = std::ranges::count(once, family) == 0 ? once : found;
    if (std::ranges::count(to, family) == 0) to.push_back(family);
  }
  return found;
}

std::string parameter_of(const series& s) {
  return s.of.schedule.substr(s.of.schedule.find(',') + 1);
}

// "searched: doall native ebs-simple with 1 (12.3 ms), 4 (11.9 ms): 4 is the fastest"
std::string search_text(const stealing_result& r) {
  std::string text;
  for (const std::string& family : searched_families(r)) {
    std::vector<std::string> tried;
    for (const series& s : r.all) {
      if (family_of(s.of) != family) continue;
      tried.push_back(
          fmt::format("{} ({})", parameter_of(s), cli::duration_text(median_of(s.rounds_ns))));
    }
    text += fmt::format("searched: {} with {}: {} is the fastest\n", family, cli::list_text(tried),
                        parameter_of(*fastest_of_family(r, family)));
  }
  return text;
}

ordered_json search_json(const stealing_result& r) {
  ordered_json list = ordered_json::array();
  for (const std::string& family : searched_families(r)) {
    ordered_json tried = ordered_json::array();
    for (const series& s : r.all) {
      if (family_of(s.of) == family) tried.push_back(parameter_of(s));
    }
    list.push_back({{"of", family},
                    {"tried", tried},
                    {"fastest", parameter_of(*fastest_of_family(r, family))}});
  }
  return list;
}

std::string speed_up_title(const stealing_benchmark& b) {
  return b.reference ? "speed-up over " + b.reference->name : "speed-up";
}

std::string speed_up_text(const stealing_report& made, const stealing_result& r,
                          const comparison_row& row) {
  if (!made.of.reference) {
    return fmt::format("{:.2f}", ratio_of(r.serial.rounds_ns, row.of->rounds_ns).median);
  }
  return row.over_reference ? ratio_text(*row.over_reference) : "-";
}

std::string speed_up_text(const stealing_report& made, const mean_row& m) {
  const double found = made.of.reference ? m.over_reference : m.speed_up;
  return found > 0 ? fmt::format("{:.2f}", found) : "-";
}

// Where there is a reference: "over_dynamic".
void add_over_reference(ordered_json& json, const stealing_benchmark& b, ordered_json found) {
  if (b.reference) json["over_" + b.reference->name] = std::move(found);
}

std::string stayed_text(const stealing_result& r, const series& s) {
  const auto found = r.stayed.find(name_of(s.of));
  return found == r.stayed.end() ? "-" : cli::percent_text(found->second);
}

ordered_json row_json(const stealing_report& made, const stealing_result& r,
                      const comparison_row& row) {
  const series& s = *row.of;
  const contender& who = *s.of.who;
  const summary total_ns = summarise(all_of(s, &run_times::total_ns));
  ordered_json json{{"runtime", who.runtime},
                    {"door", who.door},
                    {"schedule", s.of.schedule},
                    {"setting", who.setting},
                    {"threads", who.lane->threads()},
                    {"library", who.lane->library()},
                    {"median_ns", rounded(total_ns.median)},
                    {"min_ns", rounded(total_ns.min)},
                    {"max_ns", rounded(total_ns.max)},
                    {"p5_ns", rounded(total_ns.p5)},
                    {"p95_ns", rounded(total_ns.p95)},
                    {"speed_up", to_json(ratio_of(r.serial.rounds_ns, s.rounds_ns))},
                    {"subject_over", nullptr},
                    {"bar", bar_json(row)},
                    {"stayed_part", nullptr},
                    {"rounds_ns", rounded(s.rounds_ns)}};
  if (row.subject_over) json["subject_over"] = to_json(*row.subject_over);
  add_over_reference(json, made.of,
                     row.over_reference ? to_json(*row.over_reference) : ordered_json(nullptr));
  const auto stayed = r.stayed.find(name_of(s.of));
  if (stayed != r.stayed.end()) json["stayed_part"] = stayed->second;
  return json;
}

ordered_json results_json(const stealing_report& made, const std::vector<stealing_result>& all) {
  ordered_json list = ordered_json::array();
  for (const stealing_result& r : all) {
    ordered_json json{
        {"program", r.program},       {"input", made.of.input(r.program, made.choice.size)},
        {"rounds", r.rounds()},       {"serial_ns", rounded(median_of(r.serial.rounds_ns))},
        {"searched", search_json(r)}, {"rows", ordered_json::array()}};
    for (const comparison_row& row : rows_of(made.of, r))
      json["rows"].push_back(row_json(made, r, row));
    list.push_back(std::move(json));
  }
  return list;
}

ordered_json mean_json(const stealing_benchmark& b, const mean_row& m) {
  ordered_json json{
      {"of", m.of}, {"speed_up", m.speed_up}, {"subject_over", nullptr}, {"missed", m.missed}};
  if (m.subject_over > 0) json["subject_over"] = m.subject_over;
  add_over_reference(json, b,
                     m.over_reference > 0 ? ordered_json(m.over_reference) : ordered_json(nullptr));
  return json;
}

std::string means_text(const stealing_report& r) {
  if (r.programs.empty()) return "";
  cli::table table({{fmt::format("{} programs, geometric means", r.programs.size())},
                    {speed_up_title(r.of), align::right},
                    {r.of.schedule + " over", align::right},
                    {"bars missed", align::right}});
  for (const mean_row& m : means_of(r.of, r.programs)) {
    table.add_row({m.of, speed_up_text(r, m),
                   m.subject_over > 0 ? fmt::format("{:.3f}", m.subject_over) : "-",
                   std::to_string(m.missed)});
  }
  return fmt::format("\nThe fastest of each name, program by program:\n{}", table.to_text());
}

std::vector<verdict> verdicts_of(const stealing_report& r) {
  std::vector<verdict> all = bar_verdicts(r.of, r.programs);
  if (r.of.judge != nullptr) {
    std::ranges::move(r.of.judge(r.of, r.programs, r.side, r.choice.size), std::back_inserter(all));
  }
  return all;
}

}  // namespace

std::string header_text(const stealing_report& r) {
  const contest& setting = r.asked.setting;
  std::string text = fmt::format("{}, size {}, {} threads{}, on {}\n", r.of.title, r.choice.size,
                                 setting.threads, setting.pinned ? ", pinned" : "", machine_name());
  text +=
      fmt::format("{} over: its time over this row's in the same round, 95%; below 1 it is ahead\n",
                  r.of.schedule);
  if (r.of.tells_affinity) {
    text += "stay: iterations on the worker that ran them the time before\n";
  }
  for (const std::string& who : r.left_out) text += "Left out: " + who + '\n';
  return text;
}

std::string to_text(const stealing_report& made, const stealing_result& r) {
  std::vector<cli::table::column> columns{{"runtime"},
                                          {"median", align::right},
                                          {"p5..p95", align::right},
                                          {speed_up_title(made.of), align::right},
                                          {made.of.schedule + " over", align::right},
                                          {"bar"}};
  if (made.of.tells_affinity) columns.push_back({"stay", align::right});
  columns.push_back({"best setting"});
  cli::table table(std::move(columns));
  for (const comparison_row& row : rows_of(made.of, r)) {
    const series& s = *row.of;
    const summary total_ns = summarise(all_of(s, &run_times::total_ns));
    std::vector<std::string> cells{
        name_of(s.of),
        cli::duration_text(total_ns.median),
        cli::duration_text(total_ns.p5) + ".." + cli::duration_text(total_ns.p95),
        speed_up_text(made, r, row),
        row.subject_over ? ratio_text(*row.subject_over) : "-",
        bar_text(row)};
    if (made.of.tells_affinity) cells.push_back(stayed_text(r, s));
    cells.push_back(s.of.who->setting);
    table.add_row(std::move(cells));
  }
  return fmt::format("\n{}: {}; {} on one thread without a runtime; {} rounds\n{}{}", r.program,
                     made.of.input(r.program, made.choice.size),
                     cli::duration_text(median_of(r.serial.rounds_ns)), r.rounds(), table.to_text(),
                     search_text(r));
}

std::string footer_text(const stealing_report& r) {
  std::string text = means_text(r);
  const std::vector<verdict> verdicts = verdicts_of(r);
  if (!verdicts.empty()) text += "\nWhat is asked:\n" + to_text(verdicts);
  return text + '\n' + load_text(r.others_share);
}

ordered_json to_json(const stealing_report& r) {
  ordered_json json{{"schema", fmt::format("doall-bench-{}/1", r.of.name)},
                    {"machine", machine_name()},
                    {"size", r.choice.size},
                    {"threads", r.asked.setting.threads},
                    {"pinned", r.asked.setting.pinned},
                    {"others_cpu_share", r.others_share},
                    {"subject", "doall native " + r.of.schedule},
                    {"programs", results_json(r, r.programs)},
                    {"side_programs", results_json(r, r.side)},
                    {"means", ordered_json::array()},
                    {"verdicts", to_json(verdicts_of(r))},
                    {"left_out", r.left_out}};
  if (!r.programs.empty()) {
    for (const mean_row& m : means_of(r.of, r.programs))
      json["means"].push_back(mean_json(r.of, m));
  }
  return json;
}

}  // namespace doall::bench
