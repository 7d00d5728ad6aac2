// doall run: runs an unmodified OpenMP program on doall.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "cli/choices.hpp"
#include "observe/process_facts.hpp"
#include "process/child.hpp"
#include "process/options.hpp"
#include "process/other_load.hpp"
#include "process/result_file.hpp"
#include "process/say.hpp"
#include "process/served.hpp"
#include "process/temp_folder.hpp"
#include "report/data.hpp"
#include "report/page.hpp"
#include "report/ranks.hpp"
#include "report/recording.hpp"
#include "report/report.hpp"
#include "report/trace.hpp"
#include "text/table.hpp"

namespace doall::cli {
namespace {

// The value that --report has when no file is named.
constexpr const char* on_standard_error = "-";

constexpr const char* run_examples =
    R"(Without --schedule each loop runs by the schedule that the program names, and by auto
where it names none and the runtime has a say: GCC's schedule(runtime), static loops of
Clang, loops without a clause of 'doall cc'. DOALL_DEFAULT_SCHEDULE=compiled leaves
them as they were compiled. In an unmodified binary of GCC only loops with
schedule(runtime), dynamic or guided can be steered: the compiler writes the others
into the parallel region. A chunk that the program names stays whole under any schedule,
unless --schedule names one itself, as dynamic,64 does.

It ends with the program's exit status or by its signal; with 126 or 127 when
the program cannot be run, 2 on bad usage, 1 on another failure of its own. If
nothing of the program ran on doall, a line on standard error says why.

Examples:
  doall run ./app input.dat
  doall run --schedule=affinity,k=2 --threads=8 ./app
  doall run --report -- ./app --its-own-option
  doall run --report=loops.html ./app
  doall run --schedule=guided --report=loops.json ./app
  doall run --record=costs.json ./app
  doall run --trace=trace.json ./app
  doall run --save-choices=choices.json ./app
  doall run --load-choices=choices.json ./app)";

// A program whose processes were served and left no report is not an error. But a user who asked
// for one wants to know why there is none.
void explain_no_report(int wait_status, bool all_ended, bool records_only) {
  if (all_ended && records_only) {
    say("doall: the recording has no loops: they were compiled into regions; 'doall cc', or "
        "schedule(runtime) in the source, has them recorded\n");
    return;
  }
  const std::string why = WIFSIGNALED(wait_status)
                              ? "it " + describe_end(wait_status) + " before it could write one"
                              : "it ended by _exit or exec";
  say("doall: no process left a report: {}\n", why);
}

// The first rank says for all whom the file waits for.
void explain_empty_file(const rank_folder& ranks, const std::string& file) {
  if (!ranks.is_first() || ranks.waits_for().empty() || file.empty()) return;
  say("doall: {} is empty until the last rank has ended, which writes it; not yet have: {}\n", file,
      ranges_text(ranks.waits_for()));
}

// What is wanted afterwards; empty: it is not.
struct wanted_files {
  std::string report;
  std::string recording;
  std::string trace;
  std::string choices;          // to save
  std::string earlier_choices;  // to load

  // In words, as "report and trace".
  std::string text() const {
    std::vector<std::string> all;
    if (!report.empty()) all.emplace_back("report");
    if (!recording.empty()) all.emplace_back("recording");
    if (!trace.empty()) all.emplace_back("trace");
    return fmt::format("{}", fmt::join(all, " and "));
  }

  bool any_sums() const { return !report.empty() || !recording.empty(); }
  bool any() const { return any_sums() || !trace.empty(); }
  // One of those that are files; empty: there is none.
  const std::string& file() const {
    if (!report.empty() && report != on_standard_error) return report;
    return recording.empty() ? trace : recording;
  }
};

// Where the program's processes leave what is wanted of them, and find what they go by.
class run_folders {
 public:
  // Puts them into the settings. What none can be made for is wanted no longer, and a line says so.
  run_folders(wanted_files& wanted, const program_file& program, runtime_settings& settings) {
    const auto me = this_rank();
    if (wanted.any() && !could_make(wanted.text(), [&] {
          settings.report_folder =
              me ? ranks_.emplace(*me, wanted.file()).own() : reports_.emplace().path();
        })) {
      wanted.report = wanted.recording = wanted.trace = "";
      settings.trace_events = 0;
    }
    if (!wanted.report.empty())
      could_make("view for 'doall top --pid'",
                 [&] { settings.live_folder = live_.emplace().path(); });
    // Of an MPI job the first rank's are saved.
    if (me && me->rank != 0) wanted.choices = "";
    if (wanted.choices.empty() && wanted.earlier_choices.empty()) return;
    if (!could_make("choices", [&] { choices_.emplace(); })) {
      wanted.choices = wanted.earlier_choices = "";
      return;
    }
    const std::filesystem::path loaded = choices_->path() / "loaded";
    if (!wanted.earlier_choices.empty() &&
        prepare_choices(wanted.earlier_choices, program.path, loaded)) {
      settings.choices_file = loaded;
    }
    if (wanted.choices.empty()) return;
    settings.choices_folder = choices_->path() / "saved";
    std::filesystem::create_directory(settings.choices_folder);
  }

  // Of an MPI job; else null.
  rank_folder* ranks() { return ranks_ ? &*ranks_ : nullptr; }

 private:
  std::optional<temp_folder> reports_;
  std::optional<rank_folder> ranks_;
  std::optional<temp_folder> live_;
  std::optional<temp_folder> choices_;
};

// Runs the program and ends as it ends. A program that did not run on doall gets a line that says
// why: it has run on something else, or not in parallel.
[[noreturn]] void run_watched(launch what, const program_file& program,
                              const std::filesystem::path& library, runtime_settings settings,
                              wanted_files wanted) {
  int wait_status = 0;
  {
    supervisor guard;  // before the folders: a pending signal ends the command after they are gone
    run_folders folders(wanted, program, settings);
    rank_folder* const ranks = folders.ranks();
    // After the folders: those without one are left as they are, and choices may be saved to the
    // file that they were loaded from.
    result_file report(wanted.report == on_standard_error ? "" : wanted.report, "report");
    result_file recording(wanted.recording, "recording");
    result_file trace(wanted.trace, "trace");
    result_file choices(wanted.choices, "choices");
    settings.records_costs = recording.is_wanted() || report.is_wanted();
    settings.records_only = wanted.report.empty() && wanted.trace.empty();
    served_file marks;
    what.environment = on_doall(library, settings);
    marks.prepare(what.environment);
    const other_load load;
    const std::uint64_t began_ns = base::now_ns();
    const outcome end = guard.run(what);
    wait_status = end.wait_status;
    const auto ended = marks.ended();
    seen_run seen{.wall_ns = base::now_ns() - began_ns,
                  .others_part = load.part(),
                  .lost_processes = ended.unseen,
                  .cpu_ns = load.children_ns(),
                  .reported_cpu_ns = ended.cpu_ns};
    seen.facts = observe::facts_of_this_process(0);
    seen.facts.command = observe::command_text(what.command);
    if (ranks) seen = {};  // the last one's own run
    const bool served = marks.served();
    if (!served) {
      const std::string why = marks.unserved_text(what.command.front(), program, end);
      if (!why.empty()) say("doall: {}\n", why);
      seen.no_report = why.empty() ? "The program was not executed." : "No report: " + why + ".";
    }
    const std::filesystem::path& own = settings.report_folder;
    if (wanted.any_sums() && served && !has_reports(own))
      explain_no_report(wait_status, ended.unseen == 0, settings.records_only);
    // Of an MPI job the last rank reports for all.
    const bool reports_now = wanted.any() && (ranks == nullptr || ranks->is_last());
    if (ranks != nullptr) explain_empty_file(*ranks, wanted.file());
    if (reports_now) {
      const auto reports = ranks ? ranks->gather() : gather_reports(own);
      // The table has it.
      const std::string missing = missing_text(run_of(reports, seen));
      const bool in_file = report.is_wanted() || recording.is_wanted();
      if (in_file && !reports.empty() && !missing.empty()) say("doall: {}\n", missing);
      if (report.is_wanted()) {
        const auto data = report_data(reports, seen);
        if (is_page(wanted.report))
          report.write(report_page(data));
        else
          report.write(data);
      } else if (!reports.empty() && !wanted.report.empty()) {
        say("{}", report_table(reports, seen));
      }
      if (recording.is_wanted()) recording.write(recording_text(reports) + '\n');
      if (trace.is_wanted())
        write_trace(trace, ranks ? ranks->folders() : std::vector{own}, settings.trace_events);
    }
    if (choices.is_wanted()) choices.write(choices_json(settings.choices_folder, program.path));
  }
  end_as(wait_status);
}

// Of `--report loops.html ./app` the report's name is no value, and the program would be that.
std::filesystem::path find_program_behind(const std::string& report, const std::string& name) {
  try {
    return find_program(name);
  } catch (const failure& f) {
    const bool is_report = is_page(name) || name.ends_with(".json");
    if (report != on_standard_error || !is_report) throw;
    throw failure(f.status, fmt::format("{}; did you mean --report={}?", f.what(), name));
  }
}

}  // namespace

int run_command(const arguments& args) {
  option_parser options("run", "[OPTIONS] [--] PROGRAM [ARGS...]",
                        "Runs an unmodified OpenMP program on doall's runtime and ends as it ends.",
                        run_examples);
  wanted_files wanted;
  std::uint32_t trace_events = 200'000;
  const steering_options steering(options);
  options
      .add_option("--report", wanted.report,
                  "afterwards, where each loop's time went: a table on standard error, or in "
                  "FILE a page, if its name ends in .html, or else JSON")
      .shown_as("[=FILE]")
      .bare(on_standard_error);
  options
      .add_option(
          "--record", wanted.recording,
          "afterwards, what the iterations of each loop cost, for 'doall advise' and 'doall "
          "simulate'")
      .shown_as("FILE");
  options
      .add_option("--trace", wanted.trace,
                  "afterwards, what each worker did when, as a trace that Perfetto and Chrome open")
      .shown_as("FILE");
  options
      .add_option("--trace-events", trace_events,
                  "how many events the trace has at most, by default 200000, some 40 MB")
      .shown_as("N")
      .between(std::uint32_t{1'000}, std::uint32_t{10'000'000});
  options
      .add_option("--save-choices", wanted.choices,
                  "afterwards, what auto has chosen for each loop, for --load-choices")
      .shown_as("FILE");
  options
      .add_option("--load-choices", wanted.earlier_choices,
                  "auto's choices of an earlier run, which stay as they are there")
      .shown_as("FILE");
  launch what;
  if (!options.read(args, what.command)) return succeeded;

  runtime_settings settings = steering.settings();
  if (!wanted.trace.empty()) settings.trace_events = trace_events;

  require_different_files({{"--report", wanted.report == on_standard_error ? "" : wanted.report},
                           {"--record", wanted.recording},
                           {"--trace", wanted.trace},
                           {"--save-choices", wanted.choices}});

  what.file = find_program_behind(wanted.report, what.command.front());
  const program_file program = inspect_program(what.file);
  require_preloadable(program);
  fit_to(program, settings);
  const std::filesystem::path library = preload_library();

  run_watched(what, program, library, settings, wanted);
}

}  // namespace doall::cli
