#include "driver/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "driver/programs.hpp"
#include "driver/report.hpp"
#include "driver/verdict.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

using nlohmann::ordered_json;

std::string bar_text(const comparison_row& r) {
  if (!r.most) return "-";
  const auto held = r.held();
  const char* verdict = !held ? "too few rounds" : *held ? "held" : "missed";
  return fmt::format("{} {}", to_text(*r.most), verdict);
}

ordered_json bar_json(const comparison_row& r) {
  if (!r.most) return nullptr;
  return {{"most", r.most->most},
          {"demand", r.most->asked == bar::demand::ahead ? "ahead" : "no more"},
          {"held", or_null(r.held())}};
}

ordered_json ratio_json(const std::optional<ratio>& r) {
  return r ? to_json(*r) : ordered_json(nullptr);
}

std::size_t rounds_of(const program_result& r) { return r.serial.rounds_ns.size(); }

// What was searched: our schedules with a parameter that the lane has several of.
std::vector<std::string> searched_families(const program_result& r) {
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
std::string search_text(const program_result& r) {
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

ordered_json search_json(const program_result& r) {
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

std::string speed_up_title(const comparison& b) {
  return b.reference ? "speed-up over " + b.reference->name : "speed-up";
}

std::string speed_up_text(const compared& made, const program_result& r,
                          const comparison_row& row) {
  if (!made.of.reference) {
    return fmt::format("{:.2f}", ratio_of(r.serial.rounds_ns, row.of->rounds_ns).median);
  }
  return row.over_reference ? ratio_text(*row.over_reference) : "-";
}

std::string speed_up_text(const compared& made, const mean_row& m) {
  const double found = made.of.reference ? m.over_reference : m.speed_up;
  return found > 0 ? fmt::format("{:.2f}", found) : "-";
}

// Whether the row says what part of the iterations stayed.
bool tells_part(const comparison& b, const series& s) {
  return b.tells_affinity && s.of.is_ours() && s.of.who->door != one_worker_door;
}

ordered_json row_json(const compared& made, const program_result& r, const comparison_row& row) {
  const series& s = *row.of;
  ordered_json json = to_json(s.of);
  add_times(json, s.all(), s.rounds_ns);
  json["speed_up"] = to_json(ratio_of(r.serial.rounds_ns, s.rounds_ns));
  json["subject_over"] = ratio_json(row.subject_over);
  json["bar"] = bar_json(row);
  json["stayed_part"] = tells_part(made.of, s) ? ordered_json(s.part) : ordered_json(nullptr);
  if (made.of.reference) {
    json["over_" + made.of.reference->name] = ratio_json(row.over_reference);
  }
  return json;
}

ordered_json results_json(const compared& made, const std::vector<program_result>& all) {
  ordered_json list = ordered_json::array();
  for (const program_result& r : all) {
    ordered_json json{
        {"program", r.program},       {"input", made.of.input(r.program, made.choice.size)},
        {"rounds", rounds_of(r)},     {"serial_ns", rounded(median_of(r.serial.rounds_ns))},
        {"searched", search_json(r)}, {"rows", ordered_json::array()}};
    for (const comparison_row& row : rows_of(made.of, r))
      json["rows"].push_back(row_json(made, r, row));
    list.push_back(std::move(json));
  }
  return list;
}

ordered_json positive_json(double found) {
  return found > 0 ? ordered_json(found) : ordered_json(nullptr);
}

ordered_json mean_json(const comparison& b, const mean_row& m) {
  ordered_json json{{"of", m.of},
                    {"speed_up", m.speed_up},
                    {"subject_over", positive_json(m.subject_over)},
                    {"missed", m.missed}};
  if (b.reference) json["over_" + b.reference->name] = positive_json(m.over_reference);
  return json;
}

std::string means_text(const compared& r) {
  if (r.programs.empty()) return "";
  cli::table table({fmt::format("{} programs, geometric means", r.programs.size()),
                    '>' + speed_up_title(r.of), '>' + r.of.schedule + " over", ">bars missed"});
  for (const mean_row& m : means_of(r.of, r.programs)) {
    table.add_row({m.of, speed_up_text(r, m),
                   m.subject_over > 0 ? fmt::format("{:.3f}", m.subject_over) : "-",
                   std::to_string(m.missed)});
  }
  return fmt::format("\nThe fastest of each name, program by program:\n{}", table.to_text());
}

std::vector<verdict> verdicts_of(const compared& r) {
  std::vector<verdict> all = bar_verdicts(r.of, r.programs);
  if (r.of.judge != nullptr) {
    std::ranges::move(r.of.judge(r.of, r.programs, r.side, r.choice.size), std::back_inserter(all));
  }
  return all;
}

std::string header_text(const compared& r) {
  std::string text = fmt::format("{}, size {}, {}, on {}\n", r.of.title, r.choice.size,
                                 threads_text(r.asked.setting), machine_name());
  text +=
      fmt::format("{} over: its time over this row's in the same round, 95%; below 1 it is ahead\n",
                  r.of.schedule);
  if (r.of.tells_affinity) {
    text += "stay: iterations on the worker that ran them the time before\n";
  }
  return text + peers_text(r);
}

std::string program_text(const compared& made, const program_result& r) {
  std::vector<cli::table::column> columns{"runtime",
                                          ">median",
                                          ">p5..p95",
                                          '>' + speed_up_title(made.of),
                                          '>' + made.of.schedule + " over",
                                          "bar"};
  if (made.of.tells_affinity) columns.push_back(">stay");
  columns.push_back("best setting");
  cli::table table(std::move(columns));
  for (const comparison_row& row : rows_of(made.of, r)) {
    const series& s = *row.of;
    const summary total_ns = summarise(s.all());
    std::vector<std::string> cells{name_of(s.of),
                                   cli::duration_text(total_ns.median),
                                   spread_text(total_ns),
                                   speed_up_text(made, r, row),
                                   row.subject_over ? ratio_text(*row.subject_over) : "-",
                                   bar_text(row)};
    if (made.of.tells_affinity) {
      cells.push_back(tells_part(made.of, s) ? cli::percent_text(s.part) : "-");
    }
    cells.push_back(s.of.who->setting);
    table.add_row(std::move(cells));
  }
  return fmt::format("\n{}: {}; {} on one thread without a runtime; {} rounds\n{}{}", r.program,
                     made.of.input(r.program, made.choice.size),
                     cli::duration_text(median_of(r.serial.rounds_ns)), rounds_of(r),
                     table.to_text(), search_text(r));
}

// Over all programs; verdicts; the load.
std::string footer_text(const compared& r) {
  std::string text = means_text(r);
  const std::vector<verdict> verdicts = verdicts_of(r);
  if (!verdicts.empty()) text += "\nWhat is asked:\n" + to_text(verdicts);
  return text + '\n' + load_text(r.others_share);
}

unsigned rounds_in_time(const compared& made, pace& time, const std::string& program,
                        const std::vector<contender>& present,
                        const std::vector<entrant>& entrants) {
  constexpr unsigned shown_min = 3;
  const bool judged =
      made.of.judge != nullptr || std::ranges::any_of(entrants, [&](const entrant& e) {
        return made.of.most(program, e).has_value();
      });
  return time.rounds(serial_run_ns(program, present.front()), present.size(), entrants.size(),
                     judged ? judged_rounds_min : shown_min);
}

// Adds to `results`, a member of `made`.
void measure_all(compared& made, pace& time, base::rng& random,
                 const std::vector<std::string>& programs, const std::vector<contender>& present,
                 std::vector<program_result>& results) {
  if (programs.empty()) return;
  const load_watch load(present);
  for (const std::string& program : programs) {
    const std::vector<entrant> entrants = entrants_of(program, present);
    const unsigned rounds = made.asked.rounds > 0
                                ? made.asked.rounds
                                : rounds_in_time(made, time, program, present, entrants);
    results.push_back(measure(program, entrants, rounds, random, {}, made.of.with));
    show_progress("");
    fmt::print("{}", program_text(made, results.back()));
    std::fflush(stdout);
  }
  made.others_share = std::max(made.others_share, load.others_share());
}

contenders start_lanes(const comparison& b, const contest& c, const std::string& size) {
  roster all(c);
  all.add(lane_set{.name = kernel_lanes, .arguments = {b.name, size}});
  if (b.add_lanes != nullptr) b.add_lanes(all, c, size);
  if (c.wants("doall")) {
    all.add(lane_plan{.runtime = "doall",
                      .door = one_worker_door,
                      .program = std::string(kernel_lanes) + "-doall",
                      .arguments = {b.name, size, b.schedule},
                      .variables = {"DOALL_NUM_THREADS=1"}});
  }
  return all.take();
}

// Nobody, when none of those that were asked for can take part.
contenders start_side_lanes(const comparison& b, const contest& c, const std::string& size) {
  if (b.add_side_lanes == nullptr) return {};
  roster all(c);
  b.add_side_lanes(all, c, size);
  try {
    return all.take();
  } catch (const lane_error&) {
    return {};
  }
}

// The programs of these lanes that are chosen. What names some of the side lanes' is taken out of
// `wanted`, so that the others' names are all that is left to be known.
std::vector<std::string> side_programs_of(std::vector<std::string>& wanted,
                                          const std::vector<contender>& side) {
  if (side.empty()) return {};
  const std::vector<std::string>& all = side.front().lane->offers();
  if (wanted.empty()) return all;
  std::vector<std::string> of_side;
  std::erase_if(wanted, [&](const std::string& beginning) {
    const bool is_side = std::ranges::any_of(
        all, [&](const std::string& name) { return name.starts_with(beginning); });
    if (is_side) of_side.push_back(beginning);
    return is_side;
  });
  return of_side.empty() ? of_side : chosen_of(all, of_side);
}

}  // namespace

void measure_paced(compared& made, double minutes, const std::vector<std::string>& programs,
                   const std::vector<std::string>& side_programs) {
  fmt::print("{}", header_text(made));
  pace time(minutes, programs.size() + side_programs.size());
  base::rng random(1);
  measure_all(made, time, random, programs, made.who.present, made.programs);
  measure_all(made, time, random, side_programs, made.side_who.present, made.side);
  fmt::print("{}", footer_text(made));
}

void run_comparison(const comparison& b, const cli::arguments& args) {
  run_options asked{.setting = default_contest()};
  program_choice choice{.by_default = b.by_default};
  double minutes = 5;
  cli::option_parser options("bench " + b.name, "[OPTIONS]", b.purpose,
                             "Exit status 1 also when an answer is wrong.");
  add_paced_options(options, asked, minutes);
  add_program_options(options, choice);
  add_contest_options(options, asked.setting);
  if (!options.read(args)) return;
  result_file json(asked.json_file);
  compared made{{asked, start_lanes(b, asked.setting, choice.size)},
                b,
                choice,
                start_side_lanes(b, asked.setting, choice.size)};
  std::ranges::move(made.side_who.left_out, std::back_inserter(made.who.left_out));

  const bool names_some = !choice.programs.empty();
  const auto side_programs = side_programs_of(choice.programs, made.side_who.present);
  std::vector<std::string> programs;
  if (!names_some || !choice.programs.empty()) {
    programs = chosen_of(made.who.present.front().lane->offers(), choice.programs);
  }
  if (!names_some) {
    std::erase_if(programs, [&b](const std::string& name) { return !b.runs_by_default(name); });
  }
  measure_paced(made, minutes, programs, side_programs);
  json.write(to_json(made));
}

ordered_json to_json(const compared& r) {
  ordered_json json = to_json(static_cast<const outcome&>(r), r.of.name);
  json["size"] = r.choice.size;
  json["subject"] = "doall native " + r.of.schedule;
  json["programs"] = results_json(r, r.programs);
  json["side_programs"] = results_json(r, r.side);
  json["means"] = ordered_json::array();
  json["verdicts"] = list_json(verdicts_of(r));
  if (!r.programs.empty()) {
    for (const mean_row& m : means_of(r.of, r.programs))
      json["means"].push_back(mean_json(r.of, m));
  }
  return json;
}

}  // namespace doall::bench
