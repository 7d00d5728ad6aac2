// doall bench programs: programs of fine-grain loops, with the peers.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/table.hpp"
#include "driver/benchmark.hpp"
#include "driver/experiments.hpp"
#include "driver/load_watch.hpp"
#include "driver/machine.hpp"
#include "driver/program_measurement.hpp"

namespace doall::bench {
namespace {

// What came out, for people and for programs.

struct programs_report {
  contest setting;
  program_choice choice;
  unsigned rounds = 0;
  std::vector<std::string> left_out;
  double others_share = 0;
  std::vector<program_result> programs = {};
};

std::string header_text(const programs_report& r);  // before the programs
std::string to_text(const program_result& r);       // a table
std::string footer_text(const programs_report& r);  // the load

// Schema "doall-bench-programs/1"; this file's page has it.
nlohmann::ordered_json to_json(const programs_report& r);

using cli::align;
using nlohmann::ordered_json;

std::string ratio_text(const std::optional<estimate>& e) {
  return e ? fmt::format("{:.3f} [{:.3f}, {:.3f}]", e->median, e->low, e->high) : "-";
}

// A series with its numbers.
struct row {
  const series* of;
  summary total_ns;
  std::optional<estimate> speed_up;           // of the serial time in the same round
  std::optional<estimate> reference_to;       // our default's time over this one's
  std::optional<estimate> fine_reference_to;  // likewise, of fine loops
};

row row_of(const program_result& r, const series& s) {
  row made{&s,
           summarise(all_of(s, &run_times::total_ns)),
           paired_ratio(r.serial.rounds_ns, s.rounds_ns),
           {},
           {}};
  const series* reference = r.fastest(reference_name);
  if (reference == nullptr || reference == &s) return made;
  made.reference_to = paired_ratio(reference->rounds_ns, s.rounds_ns);
  if (s.tells_fine_loops()) {
    made.fine_reference_to = paired_ratio(reference->fine_rounds_ns, s.fine_rounds_ns);
  }
  return made;
}

// Table 3's columns, of our default.
std::string loops_text(const program_result& r) {
  const series* s = r.fastest(reference_name);
  if (s == nullptr || !s->tells_fine_loops()) return "";
  const auto median = [s](double run_times::* member) { return median_of(all_of(*s, member)); };
  const double loops = median(&run_times::fine_loops);
  const double fine_ns = median(&run_times::fine_ns);
  return fmt::format(
      "fine loops: {:.0f}, {:.0f} of them under 0.1 ms; least {}, mean {}, most {}; {} of the "
      "time\n",
      loops, median(&run_times::short_loops), cli::duration_text(median(&run_times::least_ns)),
      cli::duration_text(fine_ns / loops), cli::duration_text(median(&run_times::most_ns)),
      cli::percent_text(fine_ns / median(&run_times::total_ns)));
}

// A tenth of a microsecond is finer than such programs repeat.
double rounded(double ns) { return std::round(ns / 100) * 100; }

ordered_json estimate_json(const std::optional<estimate>& e) {
  if (!e) return nullptr;
  return {{"median", e->median}, {"low", e->low}, {"high", e->high}};
}

ordered_json fine_json(const row& r) {
  const series& s = *r.of;
  if (!s.tells_fine_loops()) return nullptr;
  const auto median = [&s](double run_times::* member) { return median_of(all_of(s, member)); };
  return {{"loops", median(&run_times::fine_loops)},
          {"short_loops", median(&run_times::short_loops)},
          {"least_ns", median(&run_times::least_ns)},
          {"most_ns", median(&run_times::most_ns)},
          {"median_ns", rounded(median(&run_times::fine_ns))},
          {"coarse_median_ns", rounded(median(&run_times::coarse_ns))},
          {"ratio_of_default", estimate_json(r.fine_reference_to)}};
}

ordered_json row_json(const row& r) {
  const contender& who = *r.of->of.who;
  std::vector<double> rounds_ns = r.of->rounds_ns;
  for (double& round : rounds_ns) round = rounded(round);
  return {{"runtime", who.runtime},
          {"door", who.door},
          {"schedule", r.of->of.schedule},
          {"setting", who.setting},
          {"threads", who.lane->threads()},
          {"library", who.lane->library()},
          {"median_ns", rounded(r.total_ns.median)},
          {"min_ns", rounded(r.total_ns.min)},
          {"max_ns", rounded(r.total_ns.max)},
          {"p5_ns", rounded(r.total_ns.p5)},
          {"p95_ns", rounded(r.total_ns.p95)},
          {"speed_up", estimate_json(r.speed_up)},
          {"ratio_of_default", estimate_json(r.reference_to)},
          {"fine", fine_json(r)},
          {"rounds_ns", rounds_ns}};
}

ordered_json program_json(const program_result& r) {
  ordered_json json{{"program", r.program},
                    {"serial_ns", rounded(median_of(r.serial.rounds_ns))},
                    {"rows", ordered_json::array()}};
  for (const series& s : r.all) json["rows"].push_back(row_json(row_of(r, s)));
  return json;
}

std::string header_text(const programs_report& r) {
  std::string text = fmt::format(
      "Programs of fine-grain, {} rounds, size {}, {} threads{}, on {}\n"
      "default over: the native default's time over this row's in the same round, 95%\n",
      r.rounds, r.choice.size, r.setting.threads, r.setting.pinned ? ", pinned" : "",
      machine_name());
  for (const std::string& who : r.left_out) text += "Left out: " + who + '\n';
  return text;
}

std::string to_text(const program_result& r) {
  const bool tells = r.all.front().tells_fine_loops();
  std::vector<cli::table::column> columns{{"runtime"},
                                          {"median", align::right},
                                          {"p5..p95", align::right},
                                          {"speed-up", align::right},
                                          {"default over", align::right}};
  if (tells) {
    columns.push_back({"fine loops", align::right});
    columns.push_back({"default over, fine", align::right});
  }
  columns.push_back({"best setting"});
  cli::table table(std::move(columns));
  for (const std::string& name : r.names()) {
    const series& s = *r.fastest(name);
    const row line = row_of(r, s);
    std::vector<std::string> cells{
        name, cli::duration_text(line.total_ns.median),
        cli::duration_text(line.total_ns.p5) + ".." + cli::duration_text(line.total_ns.p95),
        line.speed_up ? fmt::format("{:.2f}", line.speed_up->median) : "-",
        ratio_text(line.reference_to)};
    if (tells) {
      cells.push_back(cli::duration_text(median_of(all_of(s, &run_times::fine_ns))));
      cells.push_back(ratio_text(line.fine_reference_to));
    }
    cells.push_back(s.of.who->setting);
    table.add_row(std::move(cells));
  }
  return fmt::format("\n{}: {} on one thread without a runtime\n{}{}", r.program,
                     cli::duration_text(median_of(r.serial.rounds_ns)), loops_text(r),
                     table.to_text());
}

std::string footer_text(const programs_report& r) { return '\n' + load_text(r.others_share); }

ordered_json to_json(const programs_report& r) {
  ordered_json json{{"schema", "doall-bench-programs/1"},
                    {"machine", machine_name()},
                    {"size", r.choice.size},
                    {"graph", r.choice.graph_file},
                    {"threads", r.setting.threads},
                    {"pinned", r.setting.pinned},
                    {"rounds", r.rounds},
                    {"others_cpu_share", r.others_share},
                    {"programs", ordered_json::array()},
                    {"left_out", r.left_out}};
  for (const program_result& p : r.programs) json["programs"].push_back(program_json(p));
  return json;
}

constexpr const char* name = "bench programs";

struct request {
  contest setting = default_contest(program_runtimes());
  program_choice choice;
  unsigned rounds = 20;
  std::string json_file;
};

// False after --help.
bool read_request(const cli::arguments& args, request& r) {
  cli::option_parser options(
      name, "[OPTIONS]",
      "Reductions, stencils and a graph mix, most of whose loops are small: every runtime in\n"
      "turn in one run, and the native default's time over everybody's.",
      "Exit status 1 also when an answer is wrong.");
  options.add_option("--rounds", r.rounds, "Rounds, each of everybody once; by default 20")
      ->check(CLI::Range(1U, 100'000U).description(""))
      ->type_name("N");
  add_choice_options(options, r.choice);
  add_contest_options(options, r.setting);
  options.add_option("--json", r.json_file, "Writes the numbers to FILE as well")
      ->type_name("FILE");
  return options.read(args);
}

void run(const cli::arguments& args) {
  request r;
  if (!read_request(args, r)) return;
  json_file json(r.json_file);
  contenders all = start_program_lanes(r.setting, r.choice);
  const std::vector<std::string> programs = chosen_programs(r.choice, all.present);
  programs_report made{r.setting, r.choice, r.rounds, std::move(all.left_out)};
  fmt::print("{}", header_text(made));

  const load_watch load(all.present);
  base::rng random(1);
  for (const std::string& program : programs) {
    made.programs.push_back(measure(program, all.present, r.rounds, {}, random, show_progress));
    show_progress("");
    fmt::print("{}", to_text(made.programs.back()));
    std::fflush(stdout);
  }
  made.others_share = load.others_share();
  fmt::print("{}", footer_text(made));
  json.write(to_json(made));
}

}  // namespace

int run_programs(int argc, char** argv) {
  return run_benchmark(name, argc, argv, [](const cli::arguments& args) { run(args); });
}

}  // namespace doall::bench
