// The subcommands of `doall`, one file each. The compiler drivers are cc/compile.hpp's.
#pragma once

#include "process/failure.hpp"

namespace doall::cli {

// Each takes the arguments after its name and returns the exit status.
int run_command(const arguments& args);
int schedules_command(const arguments& args);
int chunks_command(const arguments& args);
int simulate_command(const arguments& args);
int advise_command(const arguments& args);
int doctor_command(const arguments& args);
int show_command(const arguments& args);
int compare_command(const arguments& args);
int report_command(const arguments& args);
int diff_command(const arguments& args);
int top_command(const arguments& args);
int bench_command(const arguments& args);
int paper_command(const arguments& args);
int calibrate_command(const arguments& args);

}  // namespace doall::cli
