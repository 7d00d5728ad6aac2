// What a process reports of its loops when it ends, and the file it leaves it
// in: the runtime writes it (no JSON, no symbols: it may run while the program
// is being torn down), the command `doall` reads it, looks up symbols and prints.
//
// The file: text, a record a line, fields parted by tabs, as write_report() has
// them; the first line names the format and its version.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "steal/counts.hpp"

namespace doall::observe {

// Nested: a loop that was met in an iteration of another, and is stolen from.
enum class site_kind { loop, region, nested };
std::string_view name_of(site_kind kind);

// One loop or parallel region of the source, over all its executions.
//
// In an execution with P workers, "inside" is the time that workers spent between entering the
// loop and leaving it, summed over workers; "busy" is the part of it inside the
// program's own code. Then
//   parallel efficiency  busy_ns / capacity_ns
//   imbalance            bottleneck_ns / busy_ns     1 = even
//   overhead             (inside_ns - busy_ns) / inside_ns
//   stayed               stay_stayed / stay_compared
//
// Nested loops have no workers of their own, so capacity_ns and bottleneck_ns are 0 there.
// And their own code alone is busy, not the loops inside it, which have records of their own:
// recursion would count it once for each of its levels. wall_ns likewise leaves out calls inside
// a call of the same loop, on the same thread. Of a loop that is nested in nothing, but stolen
// from, busy and inside are all that descends from it, whoever ran it.
struct record {
  site_kind kind = site_kind::loop;
  std::string door;          // "native" or "gomp"
  std::string module;        // the file that holds the code
  std::uint64_t offset = 0;  // of the code's address in it
  std::string file;          // of the source, empty when unknown
  std::uint32_t line = 0;
  std::string function;       // likewise
  std::string schedule;       // of the last execution; "-" for a region
  std::uint32_t workers = 0;  // of the last execution
  std::uint64_t calls = 0;
  std::uint64_t iterations = 0;
  std::uint64_t wall_ns = 0;
  std::uint64_t busy_ns = 0;
  std::uint64_t capacity_ns = 0;    // P times the wall time, summed over calls
  std::uint64_t bottleneck_ns = 0;  // P times the busiest worker's busy time, likewise
  std::uint64_t inside_ns = 0;
  std::uint64_t chunks_own = 0;
  std::uint64_t chunks_central = 0;
  std::uint64_t chunks_stolen = 0;
  std::uint64_t stay_compared = 0;  // iterations sampled in two executions running
  std::uint64_t stay_stayed = 0;    // of those, the ones that the same worker ran in both
  steal::counts stealing;           // what it did to share the loop; all 0 if it never did
};

struct report {
  std::uint64_t pid = 0;
  std::string program;
  std::uint32_t threads = 0;  // the default team size
  std::vector<record> records;
};

void write_report(std::ostream& out, const report& what);

// Throws std::runtime_error, naming the line, when the text is not a report.
report read_report(std::istream& in);

// The environment variable that asks for a report: a folder, in which each
// process leaves a file report.<pid>. `doall run --report` sets it.
inline constexpr const char* report_folder_variable = "DOALL_REPORT_FOLDER";

}  // namespace doall::observe
