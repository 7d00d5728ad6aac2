// What a process that was not served leaves in the file of served.hpp. Without libstdc++'s library:
// src/omp/lazy/ has a copy.
#pragma once

#include <string_view>

namespace doall::observe {

// Also "libgomp-a34b3233.so.1.0.0" and the like, as Python's wheels rename it. `file` has no
// folder.
bool is_openmp_runtime(std::string_view file);

// Appends a line, if the command has named a file.
void append_to_served(std::string_view line);

// Appends the process's OpenMP runtimes that are not doall's.
void append_other_runtimes();

}  // namespace doall::observe
