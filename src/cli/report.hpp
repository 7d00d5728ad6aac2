// What processes left in a report folder: gathered, with symbols looked up, as
// a table or as JSON. docs/guide/report.md tells users how to read it.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "observe/record.hpp"

namespace doall::cli {

// Each process's report, the busiest process first, each one's loops by time.
// A file that is no report is named on standard error and left out.
std::vector<observe::report> gather_reports(const std::filesystem::path& folder);

// The shares that people read; nothing where a loop was never timed.
std::optional<double> parallel_efficiency(const observe::record& r);
std::optional<double> imbalance(const observe::record& r);
std::optional<double> overhead(const observe::record& r);
// The part of the iterations that ran on the same worker as the last time.
std::optional<double> stayed(const observe::record& r);

// The imbalance of all loops, weighted by their time; of the regions where no
// loop was seen.
std::optional<double> mean_imbalance(const std::vector<observe::report>& reports);

std::string report_table(const std::vector<observe::report>& reports);

// Schema doall-report/1.
nlohmann::ordered_json report_json(const std::vector<observe::report>& reports);

}  // namespace doall::cli
