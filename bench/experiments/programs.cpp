// doall bench programs: programs of fine-grain loops, with the peers.
#include <fmt/format.h>

#include "driver/programs.hpp"
#include "driver/report.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

using nlohmann::ordered_json;

std::string over_text(const std::optional<estimate>& e) { return ratio_text(e, 3); }

// Our default's times over this one's.
struct over {
  std::optional<estimate> whole = {};
  std::optional<estimate> fine = {};  // of fine loops
};

over reference_over(const program_result& r, const series& s) {
  const series* reference = r.fastest(reference_name);
  if (reference == nullptr || reference == &s) return {};
  over found{paired_ratio(reference->rounds_ns, s.rounds_ns)};
  if (s.tells_fine_loops()) found.fine = paired_ratio(reference->fine_rounds_ns, s.fine_rounds_ns);
  return found;
}

std::optional<estimate> speed_up(const program_result& r, const series& s) {
  return paired_ratio(r.serial.rounds_ns, s.rounds_ns);
}

// Table 3's columns, of our default.
std::string loops_text(const program_result& r) {
  const series* s = r.fastest(reference_name);
  if (s == nullptr || !s->tells_fine_loops()) return "";
  const auto median = [s](double run_times::* member) { return median_of(s->all(member)); };
  const double loops = median(&run_times::fine_loops);
  const double fine_ns = median(&run_times::fine_ns);
  return fmt::format(
      "fine loops: {:.0f}, {:.0f} of them under 0.1 ms; least {}, mean {}, most {}; {} of the "
      "time\n",
      loops, median(&run_times::short_loops), cli::duration_text(median(&run_times::least_ns)),
      cli::duration_text(fine_ns / loops), cli::duration_text(median(&run_times::most_ns)),
      cli::percent_text(fine_ns / median(&run_times::total_ns)));
}

std::string header_text(const programs_outcome& o) {
  return fmt::format(
             "Programs of fine-grain, {} rounds, size {}, {}, on {}\n"
             "default over: the native default's time over this row's in the same round, 95%\n",
             o.asked.rounds, o.choice.size, threads_text(o.asked.setting), machine_name()) +
         peers_text(o);
}

std::string table_text(const program_result& r) {
  const bool tells = r.all.front().tells_fine_loops();
  std::vector<cli::table::column> columns{"runtime", ">median", ">p5..p95", ">speed-up",
                                          ">default over"};
  if (tells) {
    columns.push_back(">fine loops");
    columns.push_back(">default over, fine");
  }
  columns.push_back("best setting");
  cli::table table(std::move(columns));
  for (const std::string& name : r.names()) {
    const series& s = *r.fastest(name);
    const over found = reference_over(r, s);
    const auto faster = speed_up(r, s);
    std::vector<std::string> cells{
        name, cli::duration_text(s.median_ns()), spread_text(summarise(s.all())),
        faster ? fmt::format("{:.2f}", faster->median) : "-", over_text(found.whole)};
    if (tells) {
      cells.push_back(cli::duration_text(median_of(s.all(&run_times::fine_ns))));
      cells.push_back(over_text(found.fine));
    }
    cells.push_back(s.of.who->setting);
    table.add_row(std::move(cells));
  }
  return fmt::format("\n{}: {} on one thread without a runtime\n{}{}", r.program,
                     cli::duration_text(median_of(r.serial.rounds_ns)), loops_text(r),
                     table.to_text());
}

ordered_json fine_json(const program_result& r, const series& s) {
  if (!s.tells_fine_loops()) return nullptr;
  const auto median = [&s](double run_times::* member) { return median_of(s.all(member)); };
  return {{"loops", median(&run_times::fine_loops)},
          {"short_loops", median(&run_times::short_loops)},
          {"least_ns", median(&run_times::least_ns)},
          {"most_ns", median(&run_times::most_ns)},
          {"median_ns", rounded(median(&run_times::fine_ns), of_programs_ns)},
          {"coarse_median_ns", rounded(median(&run_times::coarse_ns), of_programs_ns)},
          {"ratio_of_default", to_json(reference_over(r, s).fine)}};
}

ordered_json program_json(const program_result& r) {
  ordered_json json{{"program", r.program},
                    {"serial_ns", rounded(median_of(r.serial.rounds_ns), of_programs_ns)},
                    {"rows", ordered_json::array()}};
  for (const series& s : r.all) {
    ordered_json row = to_json(s.of);
    add_times(row, s.all(), s.rounds_ns, of_programs_ns);
    row["speed_up"] = to_json(speed_up(r, s));
    row["ratio_of_default"] = to_json(reference_over(r, s).whole);
    row["fine"] = fine_json(r, s);
    json["rows"].push_back(std::move(row));
  }
  return json;
}

void run_programs(const cli::arguments& args) {
  run_options asked{.setting = default_contest(), .rounds = 20};
  program_choice choice;
  cli::option_parser options(
      "bench programs", "[OPTIONS]",
      "Reductions, stencils and a graph mix, most of whose loops are small: every runtime in\n"
      "turn in one run, and the native default's time over everybody's.",
      "Exit status 1 also when an answer is wrong.");
  add_rounds_option(options, asked);
  add_choice_options(options, choice);
  add_contest_options(options, asked.setting);
  add_json_option(options, asked);
  if (!options.read(args)) return;
  result_file file(asked.json_file);
  const programs_outcome o = measure_fine_programs(asked, choice, {}, header_text, table_text);

  // Schema "doall-bench-programs/1"; this file's page has it.
  ordered_json json = to_json(o, "programs");
  json["rounds"] = asked.rounds;
  json["programs"] = ordered_json::array();
  for (const program_result& p : o.programs) json["programs"].push_back(program_json(p));
  file.write(json);
}

const experiment here{"programs", run_programs};

}  // namespace
}  // namespace doall::bench
