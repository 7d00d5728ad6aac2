// The report's data: what `doall run --report=FILE` writes, and what the page, `doall diff` and
// other programs read. src/report/report.schema.json is its schema, docs/guide/report.md tells what
// its members mean.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "observe/record.hpp"
#include "report/first_sentence.hpp"

namespace doall::cli {

inline constexpr const char* report_schema = "doall-report/4";

// Simulates the loops that lose most, for its advice (loop_advice.hpp).
nlohmann::ordered_json report_data(const std::vector<observe::report>& reports,
                                   const seen_run& seen = {});

// Reads such a file. Throws failure (failed): names the file and what is wrong with it.
nlohmann::ordered_json read_report_data(const std::string& file);

}  // namespace doall::cli
