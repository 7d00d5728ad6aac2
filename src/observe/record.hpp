// The report that a process leaves about its loops when it ends, and its file. The runtime writes
// it without JSON or symbols, for it may run while the program is being torn down. The command
// `doall` reads it, looks up symbols and prints.
//
// The file: text, a record in each line, fields separated by tabs, as report_text() has them; the
// first line names the format and its version.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "deque/counts.hpp"

namespace doall::observe {

// Nested: a loop inside an iteration of another, which runs by stealing.
// Sections: a `sections` construct, which no schedule reaches.
enum class site_kind { loop, region, nested, sections };
std::string_view name_of(site_kind kind);

// One loop or parallel region of the source, over all its executions.
//
// In an execution with P workers, "inside" is the time that workers spent between entering the loop
// and leaving it, summed over workers; "busy" is the part of it inside the program's own code. Then
//   parallel efficiency  busy_ns / capacity_ns
//   imbalance            bottleneck_ns / busy_ns     1 = even
//   overhead             (inside_ns - busy_ns) / inside_ns
//   stayed               stay_stayed / stay_compared
//
// The workers' time, capacity_ns, falls into busy_ns, scheduling_ns, waiting_ns and idle_ns: the
// program's own code; what a worker did to get chunks, the counting for this report included; its
// waits for the others; the time before it came, or in which it found nothing to steal.
//
// Of short loops only some calls are counted in detail (site.hpp, `counting`). All calls' number,
// iterations, time and capacity are counted. What is within the capacity is that of the calls in
// detail, scaled to all; so are chunks and `stealing`. What stayed, costs and the slowest call are
// those of the calls in detail.
//
// A region, or a loop that is all of one, may be executed by the threads of a region around it at
// the same time: the wall times of its calls add up to more than the run's. So elapsed_ns has each
// call's time divided by the threads of the regions around it, multiplied, and in_regions_ns says
// how much of wall_ns is of calls that have regions around them, which hold that time, too.
//
// Nested loops have no workers of their own, so capacity_ns and bottleneck_ns are 0 there. Their
// busy time is that of their own code, without the loops inside, which have records of their own:
// recursion would count it once for each level. Their parts add up to inside_ns. wall_ns likewise
// leaves out calls inside a call of the same loop, on the same thread; elapsed_ns is that divided
// by the outermost loop's workers. For an outermost loop that runs by stealing, busy and inside
// include all its descendants, on any thread.
struct record {
  site_kind kind = site_kind::loop;
  std::string door;          // "native", "gomp" or "llvm"
  std::string module;        // the file that holds the code
  std::uint64_t offset = 0;  // of the code's address in it
  std::uint64_t region = 0;  // of the region that a loop is in, likewise; 0: none, or elsewhere
  std::string file;          // of the source, empty when unknown
  std::uint32_t line = 0;
  std::string function;       // likewise
  std::string caller;         // "name+0x12": where an exported function called it; else empty
  std::string schedule;       // of the last execution; "-" for a region
  std::string why = "-";      // it had that schedule (reason.hpp), likewise
  std::uint32_t workers = 0;  // of the last execution
  std::uint64_t calls = 0;
  std::uint64_t calls_in_detail = 0;  // of those
  std::uint64_t iterations = 0;
  std::uint64_t wall_time = 0;
  std::uint64_t elapsed_time = 0;
  std::uint64_t in_regions_time = 0;
  std::uint64_t busy_time = 0;
  std::uint64_t capacity_time = 0;    // P times the wall time, summed over calls
  std::uint64_t bottleneck_time = 0;  // P times the busiest worker's busy time, likewise
  std::uint64_t inside_time = 0;
  std::uint64_t scheduling_time = 0;
  std::uint64_t waiting_time = 0;
  std::uint64_t idle_time = 0;
  std::uint64_t chunks_own = 0;
  std::uint64_t chunks_central = 0;
  std::uint64_t chunks_stolen = 0;
  std::uint64_t stay_compared = 0;  // iterations sampled in two executions running
  std::uint64_t stay_stayed = 0;    // of those, the ones that the same worker ran in both
  deque::counts stealing;           // what it did to share the loop; all 0 if it never did
  // What its iterations cost in nanoseconds, as pairs "iterations:cost" parted by blanks, in the
  // loop's order; empty if that was not asked for, or not timed.
  std::string costs;
  // As call_history.hpp has them, in nanoseconds; of nested loops both are empty.
  std::string over_calls;    // "calls:mean:most" of groups of neighbouring calls
  std::string slowest_call;  // "call:time", then "entered:left:busy" of each worker
};

// The one list of a record's numbers, by their names in the report's file and in JSON. A new figure
// is a member and a line here, is counted in site.cpp, and has a column in report/report.cpp if
// people are to see it.
template <class Visit>
void each_number(Visit visit) {
  visit("workers", &record::workers);
  visit("calls", &record::calls);
  visit("calls_in_detail", &record::calls_in_detail);
  visit("iterations", &record::iterations);
  visit("wall_ns", &record::wall_time);
  visit("elapsed_ns", &record::elapsed_time);
  visit("in_regions_ns", &record::in_regions_time);
  visit("busy_ns", &record::busy_time);
  visit("capacity_ns", &record::capacity_time);
  visit("bottleneck_ns", &record::bottleneck_time);
  visit("inside_ns", &record::inside_time);
  visit("scheduling_ns", &record::scheduling_time);
  visit("waiting_ns", &record::waiting_time);
  visit("idle_ns", &record::idle_time);
  visit("chunks_own", &record::chunks_own);
  visit("chunks_central", &record::chunks_central);
  visit("chunks_stolen", &record::chunks_stolen);
  visit("stay_compared", &record::stay_compared);
  visit("stay_stayed", &record::stay_stayed);
}

// What a process says of itself.
struct process_facts {
  std::uint64_t pid = 0;
  std::uint32_t threads = 0;  // the default team size
  std::uint64_t wall_ns = 0;  // since it began to run, or since the library was loaded
  std::uint64_t began_s = 0;  // that, since 1970
  std::uint32_t cpus = 0;     // that it may run on
  std::string program;        // its file
  std::string command;        // and arguments, as a shell takes them
  std::string settings;       // the environment's that runtimes read, likewise
};

struct report : process_facts {
  std::vector<record> records;
  int rank = -1;  // of its MPI job; -1: none. Not in the file: its reader knows
};

// Adds another record's counts and times to it.
void add_numbers(record& to, const record& more);

// The parts of a report's text: its head, then a line for each record, then its end.
std::string report_head(const process_facts& of);
std::string record_line(const record& r);
std::string report_end(std::uint64_t records);

std::string report_text(const report& what);

// Throws std::runtime_error, naming the line, when the text is not a report. One that is cut off
// behind a record is one only with `may_be_cut`.
report read_report(std::string_view text, bool may_be_cut = false);

// The environment variable that asks for a report. It names a folder, in which each process leaves
// a file report.<pid>, or report.<pid>.<n>. `doall run --report` sets it.
inline constexpr const char* report_folder_variable = "DOALL_REPORT_FOLDER";
// "1": with what iterations cost. "only": that alone, and what it does not need is not counted:
// most calls of a loop are timed as wholes.
inline constexpr const char* report_costs_variable = "DOALL_REPORT_COSTS";
// How many events the trace has that each process leaves there, too (trace_file.hpp); 0: none.
inline constexpr const char* report_trace_variable = "DOALL_REPORT_TRACE";

}  // namespace doall::observe
