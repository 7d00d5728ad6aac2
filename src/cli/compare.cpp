// doall compare: finds the best schedule for a program. Runs one unmodified binary on the system's
// libgomp and on doall under each schedule, round by round, so that a machine that slows down slows
// all of them.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/env.hpp"
#include "cli/compare_results.hpp"
#include "cli/measure.hpp"
#include "observe/reason.hpp"
#include "process/options.hpp"
#include "process/result_file.hpp"
#include "process/say.hpp"
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

constexpr const char* compare_examples =
    R"(The program's own output is hidden and it reads nothing; it must end with status 0.
Smaller is better, also with --metric. Only what ran on doall gets a row as
doall's; when nothing of the program does, compare says why and ends with 1.

A difference is "noise" if the 95 % interval of the rounds' ratios holds 1.

Beside schedules it tries what else can be set from outside: one thread,
OMP_DYNAMIC=true, OMP_WAIT_POLICY=passive. A schedule that no loop takes gets no
row. What the program prints, and what it writes to the files of --output, is
compared with its own runs' on libgomp, which may differ among themselves, too.

Examples:
  doall compare -- ./app input.dat
  doall compare --schedules='affinity;guided,k=2' --peers=dynamic,64 --runs=9 -- ./app
  doall compare --html=compare.html -- ./app
  doall compare --output=result.txt -- ./app -o result.txt
  doall compare --metric=seconds -- ./app     the program prints "seconds: 1.25")";

// A line that is rewritten in place on a terminal; shows nothing elsewhere.
class progress {
 public:
  explicit progress(std::size_t steps) : steps_(steps), shown_(isatty(STDERR_FILENO) != 0) {}
  ~progress() {
    if (shown_) say("\r\033[K");
  }
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  void step(const std::string& label) {
    ++done_;
    if (shown_) say("\r\033[Krun {} of {}: {}", done_, steps_, label);
  }

 private:
  std::size_t steps_;
  std::size_t done_ = 0;
  bool shown_;
};

// Runs a contender once. One of ours that did not run on doall gets the reason why not, and so does
// one that fails, unless nothing of the user's is set in it.
std::optional<double> run_once(contender& c, environment_changes environment, measurer& measure,
                               served_file& marks, const program_file& program) {
  marks.prepare(environment);
  try {
    const measured found = measure.run(environment, c.label());
    c.answers.push_back(found.answers);
    if (c.is_ours() && !marks.served())
      c.left_out = "it did not run on doall: " + marks.why_not(program);
    return found.sample;
  } catch (const failure& f) {
    if (c.what == set_by::nothing) throw;
    c.left_out = f.what();
    return std::nullopt;
  }
}

// Takes out those that have failed, and those that did not run on doall, and says so: their rows
// would be of nothing, or of another runtime.
void drop_left_out(contenders& all) {
  for (const contender& c : all) {
    if (!c.left_out.empty()) say("doall: no row for {}: {}\n", c.label(), c.left_out);
  }
  std::erase_if(all, [](const contender& c) { return !c.left_out.empty(); });
}

// Whether a schedule that was asked for has run a loop of the program.
bool reached_a_loop(const std::vector<observe::report>& reports) {
  using observe::reason;
  for (const observe::report& process : reports) {
    for (const observe::record& r : process.records) {
      const bool is_loop =
          r.kind == observe::site_kind::loop || r.kind == observe::site_kind::nested;
      const bool as_before = r.why == text_of(reason::named) || r.why == text_of(reason::runtime) ||
                             r.why == text_of(reason::compiled) ||
                             r.why == text_of(reason::any_order) ||
                             r.why == text_of(reason::monotonic);
      if (is_loop && !as_before) return true;
    }
  }
  return false;
}

// Whether OMP_SCHEDULE says how a loop of it runs.
bool asks_for_schedule(const std::vector<observe::report>& reports) {
  for (const observe::report& process : reports) {
    for (const observe::record& r : process.records) {
      if (r.why == text_of(observe::reason::runtime)) return true;
    }
  }
  return false;
}

bool has_loops(const std::vector<observe::report>& reports) {
  for (const observe::report& process : reports) {
    for (const observe::record& r : process.records) {
      if (r.kind == observe::site_kind::loop || r.kind == observe::site_kind::nested) return true;
    }
  }
  return false;
}

class comparison {
 public:
  comparison(contenders all, measurer& measure, const program_file& program)
      : all_(std::move(all)), measure_(measure), program_(program) {}

  // First the program as it is, on libgomp and on doall; then each schedule once, with a report,
  // which shows whether it reaches a loop, and warms the caches of files; then the rounds, each of
  // which begins with another contender. Throws failure (failed) when nothing runs on doall.
  void run(std::size_t runs) {
    for (contender& c : all_) {
      if (c.what == set_by::nothing && !c.is_ours()) run_once(c, c.environment);
    }
    drop_unreached();
    progress bar(runs * all_.size());
    for (std::size_t round = 0; round < runs; ++round) {
      for (std::size_t i = 0; i < all_.size(); ++i) {
        contender& c = all_[(round + i) % all_.size()];
        bar.step(c.label());
        if (!c.left_out.empty()) continue;
        if (const auto sample = run_once(c, c.environment)) c.samples.push_back(*sample);
      }
    }
    drop_left_out(all_);
  }

  const contenders& all() const { return all_; }
  const std::vector<std::string>& unreached() const { return unreached_; }

 private:
  std::optional<double> run_once(contender& c, const environment_changes& environment) {
    return cli::run_once(c, environment, measure_, marks_, program_);
  }

  void run_with_report(contender& c, bool as_compiled) {
    const temp_folder folder;
    environment_changes environment = c.environment;
    environment.emplace_back(observe::report_folder_variable, folder.path().string());
    if (as_compiled) environment.emplace_back(default_schedule_variable, "compiled");
    run_once(c, environment);
    c.reports = gather_reports(folder.path());
  }

  // Leaves out the runs that would be the same as others.
  void drop_unreached() {
    const auto own = std::ranges::find_if(
        all_, [](const contender& c) { return c.is_ours() && c.what == set_by::nothing; });
    {
      progress bar(1);
      bar.step(own->label() + ", with a report");
      run_with_report(*own, true);
    }
    if (!own->left_out.empty()) {
      throw failure(failed, fmt::format("nothing of {} ran on doall, so there is nothing to "
                                        "compare: {}",
                                        program_.path.string(), own->left_out));
    }
    const bool steerable = has_loops(own->reports);
    const bool asks = asks_for_schedule(own->reports);
    const auto schedules = static_cast<std::size_t>(std::ranges::count_if(
        all_, [](const contender& c) { return c.is_ours() && c.what == set_by::schedule; }));
    progress bar(schedules);
    contenders kept;
    for (contender& c : all_) {
      bool reached = true;
      if (c.what == set_by::schedule && !c.is_ours()) {
        reached = asks;
      } else if (c.what == set_by::schedule) {
        bar.step(c.label() + ", with a report");
        if (steerable) run_with_report(c, false);
        reached = steerable && (!c.left_out.empty() || reached_a_loop(c.reports));
      }
      if (reached)
        kept.push_back(std::move(c));
      else if (c.is_ours())
        unreached_.push_back(c.how);
      else
        unreached_.push_back("OMP_SCHEDULE=" + c.how);
    }
    all_ = std::move(kept);
  }

  contenders all_;
  measurer& measure_;
  const program_file& program_;
  served_file marks_;
  std::vector<std::string> unreached_;
};

std::vector<std::string> all_schedules() {
  std::vector<std::string> names;
  for (const schedules::entry& e : schedules::registry()) names.emplace_back(e.name);
  return names;
}

// What can be set beside schedules. One thread: by both, for programs ask for teams, too.
struct setting {
  const char* how;
  set_by what;
  environment_changes changes;
};

std::vector<setting> all_settings() {
  return {{own_run, set_by::nothing, {}},
          {"one thread",
           set_by::threads,
           {{"OMP_NUM_THREADS", "1"}, {"OMP_THREAD_LIMIT", "1"}, {"DOALL_NUM_THREADS", {}}}},
          {"OMP_DYNAMIC=true", set_by::threads, {{"OMP_DYNAMIC", "true"}}},
          {"OMP_WAIT_POLICY=passive", set_by::waiting, {{"OMP_WAIT_POLICY", "passive"}}}};
}

void append(environment_changes& to, const environment_changes& more) {
  to.insert(to.end(), more.begin(), more.end());
}

contenders line_up(const std::vector<std::string>& peers, const std::vector<std::string>& ours,
                   std::optional<std::uint32_t> threads, const program_file& program) {
  const std::filesystem::path library = preload_library();
  contenders all;
  for (const setting& s : all_settings()) {
    environment_changes environment = on_libgomp(library, "", threads);
    append(environment, s.changes);
    all.push_back({"libgomp", s.how, s.what, std::move(environment)});
  }
  for (const std::string& peer : peers)
    all.push_back({"libgomp", peer, set_by::schedule, on_libgomp(library, peer, threads)});
  for (const setting& s : all_settings()) {
    runtime_settings settings;
    settings.default_schedule = schedules::for_native_loops().name;
    settings.threads = threads;
    fit_to(program, settings);
    environment_changes environment = on_doall(library, settings);
    append(environment, s.changes);
    all.push_back({"doall", s.how, s.what, std::move(environment)});
  }
  for (const std::string& text : ours) {
    const schedules::parse_result parsed = schedules::parse(text);
    if (!parsed) throw failure(bad_usage, parsed.error);
    const std::string schedule = schedules::to_text(parsed.value);
    runtime_settings settings;
    settings.schedule = schedule;
    settings.threads = threads;
    fit_to(program, settings);
    all.push_back({"doall", schedule, set_by::schedule, on_doall(library, settings)});
  }
  return all;
}

}  // namespace

int compare_command(const arguments& args) {
  option_parser options("compare", "[OPTIONS] [--] PROGRAM [ARGS...]",
                        "Runs a program on libgomp and on doall under many schedules, in turns, "
                        "and prints how long each took.",
                        compare_examples);
  std::vector<std::string> ours = all_schedules();
  std::vector<std::string> peers;
  std::string runs_text = "6";
  std::string threads_text;
  std::string metric;
  std::vector<std::string> outputs;
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
  options
      .add_option("--output", outputs,
                  "a file that the program writes, whose contents are compared; may be given again")
      .shown_as("FILE")
      .one_each();
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

  require_different_files({{"--html", html_file}, {"--json", json_file}});
  result_file page_out(html_file, "page");
  result_file json_out(json_file);
  measurer measure(what, metric, outputs);
  comparison compared(line_up(peers, ours, threads, program), measure, program);
  compared.run(*runs);
  const contenders& all = compared.all();

  const ordered_json data = compare_data(all, what.command, metric, compared.unreached());
  fmt::print("{}", compare_text(data));
  if (page_out.is_wanted()) page_out.write(report_page(data));
  if (json_out.is_wanted()) json_out.write(data);

  const contender* fastest = nullptr;
  for (const contender& c : all) {
    if (!c.is_ours() || c.reports.empty()) continue;
    if (fastest == nullptr || c.median() < fastest->median()) fastest = &c;
  }
  if (fastest != nullptr) {
    fmt::print("\nOne run under {}:\n{}", fastest->how,
               loops_table(fastest->reports, run_of(fastest->reports, {})));
  }
  return succeeded;
}

}  // namespace doall::cli
