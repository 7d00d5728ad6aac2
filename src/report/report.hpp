// Gathers the reports that processes left in a folder, looks up symbols, and formats them as a
// table. Its data are report_data.hpp's. docs/guide/report.md tells users how to read it.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "observe/record.hpp"
#include "report/first_sentence.hpp"
#include "report/symbols.hpp"

namespace doall::cli {

// Each process's report, the busiest process first, each one's loops by time. A file report.* that
// is no report is named on standard error and left out.
std::vector<observe::report> gather_reports(const std::filesystem::path& folder);

// Looks up the functions, files and lines that a process did not know of its loops.
void add_symbols(observe::report& process, symbol_finder& symbols);

// Whether a process left one there.
bool has_reports(const std::filesystem::path& folder);

// The loop's function, file and line, as far as they are known.
std::string where_text(const observe::record& r);

// The derived ratios; nothing if a loop was never timed.
std::optional<double> parallel_efficiency(const observe::record& r);
std::optional<double> imbalance(const observe::record& r);
std::optional<double> overhead(const observe::record& r);
// The part of the iterations that ran on the same worker as the last time.
std::optional<double> stayed(const observe::record& r);

// The imbalance of all loops, weighted by their time; of the regions if there are no loops.
std::optional<double> mean_imbalance(const std::vector<observe::report>& reports);

// With the first sentence above it.
std::string report_table(const std::vector<observe::report>& reports, const seen_run& seen = {});

// Without it: where runs were compared, those say what helps.
std::string loops_table(const std::vector<observe::report>& reports, const whole_run& run);

// Of an MPI job each loop over all ranks; empty if it is none.
nlohmann::ordered_json ranks_json(const std::vector<observe::report>& reports);

}  // namespace doall::cli
