// doall compare: finds the best schedule for a program. Runs one unmodified binary on the system's
// libgomp and on doall under each schedule, round by round, so that a machine that slows down slows
// all of them.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/env.hpp"
#include "cli/compare_results.hpp"
#include "cli/measure.hpp"
#include "process/options.hpp"
#include "process/result_file.hpp"
#include "process/served.hpp"
#include "process/temp_folder.hpp"
#include "report/page.hpp"
#include "report/report.hpp"
#include "schedule/grammar.hpp"

namespace doall::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::uint64_t most_runs = 1000;

// The kinds that OMP_SCHEDULE has had since OpenMP 2.
constexpr const char* usual_peers = "dynamic;static;guided";

constexpr const char* examples =
    R"(The program's own output is hidden and it reads nothing; it must end with status 0.
Smaller is better, also with --metric. Only what ran on doall gets a row as
doall's; when nothing of the program does, compare says why and ends with 1.

A difference is "noise" if the 95 % interval of the rounds' ratios holds 1.

Examples:
  doall compare -- ./app input.dat
  doall compare --schedules='affinity;guided,k=2' --peers=dynamic,64 --runs=9 -- ./app
  doall compare --html=compare.html -- ./app
  doall compare --metric=seconds -- ./app     the program prints "seconds: 1.25")";

// A line that is rewritten in place on a terminal; shows nothing elsewhere.
class progress {
 public:
  explicit progress(std::size_t steps) : steps_(steps), shown_(isatty(STDERR_FILENO) != 0) {}
  ~progress() {
    if (shown_) fmt::print(stderr, "\r\033[K");
  }
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  void step(const std::string& label) {
    ++done_;
    if (shown_) fmt::print(stderr, "\r\033[Krun {} of {}: {}", done_, steps_, label);
  }

 private:
  std::size_t steps_;
  std::size_t done_ = 0;
  bool shown_;
};

// Runs a contender once. One of ours that did not run on doall gets the reason why not.
double run_once(contender& c, environment_changes environment, measurer& measure,
                served_file& marks, const program_file& program) {
  marks.prepare(environment);
  const double sample = measure.run(environment, c.label());
  if (c.is_ours() && !marks.served()) c.unserved = marks.why_not(program);
  return sample;
}

// Takes out the contenders that did not run on doall, and says so: their rows would be of another
// runtime.
void drop_unserved(contenders& all) {
  for (const contender& c : all) {
    if (c.unserved.empty()) continue;
    fmt::print(stderr, "doall: no row for {}, which did not run on doall: {}\n", c.label(),
               c.unserved);
  }
  std::erase_if(all, [](const contender& c) { return !c.unserved.empty(); });
}

// Runs all contenders: first each of doall's once with a report, which also warms the caches of
// files, then the rounds, each of which begins with another contender. Throws failure (failed) when
// none of doall's runs on doall.
void run_all(contenders& all, measurer& measure, const program_file& program, std::size_t runs) {
  const auto ours = static_cast<std::size_t>(std::ranges::count_if(all, &contender::is_ours));
  progress bar(ours + runs * all.size());
  served_file marks;
  for (contender& c : all) {
    if (!c.is_ours()) continue;
    bar.step(c.label() + ", with a report");
    const temp_folder folder;
    environment_changes environment = c.environment;
    environment.emplace_back(observe::report_folder_variable, folder.path().string());
    run_once(c, environment, measure, marks, program);
    c.reports = gather_reports(folder.path());
    // What is not served under one schedule is not under the others.
    if (!c.unserved.empty()) {
      throw failure(failed, fmt::format("nothing of {} ran on doall, so there is nothing to "
                                        "compare: {}",
                                        program.path.string(), c.unserved));
    }
  }
  for (std::size_t round = 0; round < runs; ++round) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      contender& c = all[(round + i) % all.size()];
      bar.step(c.label());
      c.samples.push_back(run_once(c, c.environment, measure, marks, program));
    }
  }
  drop_unserved(all);
}

std::vector<std::string> all_schedules() {
  std::vector<std::string> names;
  for (const schedules::entry& e : schedules::registry()) names.emplace_back(e.name);
  return names;
}

contenders line_up(const std::vector<std::string>& peers, const std::vector<std::string>& ours,
                   std::optional<std::uint32_t> threads) {
  const std::filesystem::path library = preload_library();
  contenders all;
  for (const std::string& peer : peers) {
    all.push_back({"libgomp", peer, on_libgomp(library, peer, threads)});
  }
  for (const std::string& text : ours) {
    const schedules::parse_result parsed = schedules::parse(text);
    if (!parsed) throw failure(bad_usage, parsed.error);
    const std::string schedule = schedules::to_text(parsed.value);
    runtime_settings settings;
    settings.schedule = schedule;
    settings.threads = threads;
    all.push_back({"doall", schedule, on_doall(library, settings)});
  }
  return all;
}

}  // namespace

int compare_command(const arguments& args) {
  option_parser options("compare", "[OPTIONS] [--] PROGRAM [ARGS...]",
                        "Runs a program on libgomp and on doall under many schedules, in turns, "
                        "and prints how long each took.",
                        examples);
  std::vector<std::string> ours = all_schedules();
  std::vector<std::string> peers;
  std::string runs_text = "6";
  std::string threads_text;
  std::string metric;
  std::string json_file;
  std::string html_file;
  options.add_option("--schedules", ours, "doall's schedules, parted by ';'; default: all")
      .shown_as("S;S;...")
      .parted_by(';');
  options
      .add_option("--peers", peers,
                  fmt::format("libgomp's OMP_SCHEDULE, likewise; default: {}", usual_peers))
      .shown_as("S;S;...")
      .parted_by(';')
      .by_default(usual_peers);
  options
      .add_option("--runs", runs_text,
                  "rounds, 1 to 1000; default: 6, the fewest that can tell a difference from noise")
      .shown_as("N");
  options
      .add_option("--metric", metric,
                  "compare what the program prints as \"NAME: number\" or \"NAME=number\", not "
                  "its wall time")
      .shown_as("NAME");
  options.add_option("--threads", threads_text, "threads in a team, 1 to 1024").shown_as("P");
  options.add_option("--json", json_file, "also write the results to FILE").shown_as("FILE");
  options.add_option("--html", html_file, "also make a page of them").shown_as("FILE");
  launch what;
  if (!options.read(args, what.command)) return succeeded;

  const auto runs = base::parse_number(runs_text, 1, most_runs);
  if (!runs) {
    throw failure(bad_usage,
                  fmt::format("bad number of runs \"{}\", expected 1 to {}", runs_text, most_runs));
  }
  std::optional<std::uint32_t> threads;
  if (options.has("--threads")) threads = parse_threads(threads_text);
  what.file = find_program(what.command.front());
  const program_file program = inspect_program(what.file);
  require_preloadable(program);

  result_file page_out(html_file, "page");
  result_file json_out(json_file);
  contenders all = line_up(peers, ours, threads);
  measurer measure(what, metric);
  run_all(all, measure, program, *runs);

  const ordered_json data = compare_data(all, what.command, metric);
  fmt::print("{}", compare_text(data));
  if (page_out.is_wanted()) page_out.write(report_page(data));
  if (json_out.is_wanted()) json_out.write(data);

  const contender* fastest = nullptr;
  for (const contender& c : all) {
    if (!c.is_ours() || c.reports.empty()) continue;
    if (fastest == nullptr || c.median() < fastest->median()) fastest = &c;
  }
  if (fastest != nullptr) {
    fmt::print("\nOne run under {}:\n{}", fastest->schedule, report_table(fastest->reports));
  }
  return succeeded;
}

}  // namespace doall::cli
