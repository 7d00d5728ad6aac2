// The trace of `doall run --trace`: what processes left (observe/trace_file.hpp) as a file that
// Perfetto and Chrome open. docs/guide/report.md tells users what is in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "process/result_file.hpp"

namespace doall::cli {

// Writes the traces in the folders, which are the ranks' of an MPI job if there are several, as one
// of at most so many events. Says on standard error what was left out. Throws failure (failed).
void write_trace(result_file& to, const std::vector<std::filesystem::path>& folders,
                 std::uint64_t events_most);

}  // namespace doall::cli
