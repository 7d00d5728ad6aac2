// The report's data: what `doall run --report=FILE` writes, and what the page, `doall diff` and
// other programs read. src/report/report.schema.json is its schema, docs/guide/report.md tells what
// its members mean.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "observe/record.hpp"

namespace doall::cli {

inline constexpr const char* report_schema = "doall-report/4";

// Simulates the loops that lose most, for its advice (loop_advice.hpp). `wall_ns`: what the whole
// run took; 0: what its longest process did.
nlohmann::ordered_json report_data(const std::vector<observe::report>& reports,
                                   std::uint64_t wall_ns = 0);

// Reads such a file. Throws failure (failed): names the file and what is wrong with it.
nlohmann::ordered_json read_report_data(const std::string& file);

}  // namespace doall::cli
