// Where a process leaves its report, and what it calls itself there.
#pragma once

#include <string>

namespace doall::observe {

// The path of the program's file; "?" if it is unknown.
std::string program_name();

// The path of a new file, report.<pid>. An earlier process with that number may have left a report,
// also one of another machine or container that shares the folder: then report.<pid>.2, ...
std::string new_report_in(const std::string& folder);

}  // namespace doall::observe
