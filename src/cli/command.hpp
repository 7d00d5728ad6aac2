// The subcommands of `doall`, one file each, and how they fail.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace doall::cli {

using arguments = std::vector<std::string>;

// Exit statuses that mean something to a caller; the last two are the shell's.
enum exit_status : int {
  succeeded = 0,
  failed = 1,
  bad_usage = 2,
  cannot_execute = 126,
  not_found = 127,
};

// Ends the command with `status` after "doall: <what>" on standard error.
struct failure : std::runtime_error {
  failure(exit_status s, const std::string& what) : std::runtime_error(what), status(s) {}
  exit_status status;
};

// Ends the command by that signal, after its temporary files are gone.
struct interrupted {
  int signal;
};

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
int cc_command(const arguments& args);
int cxx_command(const arguments& args);
int fortran_command(const arguments& args);
int calibrate_command(const arguments& args);

// If the command was called as doall-cc, doall-c++ or doall-fortran, becomes the compiler. Else
// returns nothing.
std::optional<int> compile_as(std::string_view program, const arguments& args);

}  // namespace doall::cli
