// Where a process leaves its report, and what it calls itself there.
#pragma once

#include <string>

namespace doall::observe {

// The path of the program's file; "?" if it is unknown.
std::string program_name();

// The path of a new file, <name>.<pid>. An earlier process with that number may have left one, also
// one of another machine or container that shares the folder: then <name>.<pid>.2, ...
std::string new_file_in(const std::string& folder, const std::string& name);

}  // namespace doall::observe
