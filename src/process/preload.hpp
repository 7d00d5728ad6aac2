// Makes a program run on doall: finds the library, and sets the environment that loads and
// configures it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace doall::cli {

// The folder of this command's own file.
std::filesystem::path command_folder();

// Where the replacement for libgomp.so.1 may be, best first: beside the command as installed, or in
// a build folder.
std::vector<std::filesystem::path> preload_candidates();

// The first candidate that exists. Throws failure (failed) when none does, or when its path cannot
// be written in LD_PRELOAD.
std::filesystem::path preload_library();

// Variables to set, or to unset when there is no value.
using environment_changes = std::vector<std::pair<std::string, std::optional<std::string>>>;

struct program_file;

struct runtime_settings {
  bool opens_later = true;               // the library, by what calls it
  std::string sanitizer;                 // its runtime, which must be loaded first; empty: none
  std::string schedule;                  // empty: as the program says
  std::string default_schedule;          // where it names none; empty: as it was compiled
  std::optional<std::uint32_t> threads;  // likewise
  std::filesystem::path report_folder;   // empty: no report
  std::filesystem::path live_folder;     // where `doall top` asks; empty: nowhere
  bool records_costs = false;            // the report has what iterations cost
  bool records_only = false;             // and nothing else
  std::uint32_t trace_events = 0;        // 0: no trace
  std::filesystem::path choices_folder;  // where auto's choices are left; empty: nowhere
  std::filesystem::path choices_file;    // those that it takes; empty: none
};

class option_parser;

// The options --schedule and --threads of a command that runs a program on doall.
class steering_options {
 public:
  explicit steering_options(option_parser& options);

  // What they say, once they are read. Throws failure (bad_usage).
  runtime_settings settings() const;

 private:
  const option_parser& options_;
  std::string schedule_;
  std::string threads_;
};

// How the library comes to that program. The runtime of a sanitizer that it was compiled with
// refuses to come second. A program that needs an OpenMP runtime by name would open the library as
// it starts: it has it from the beginning, and calls its functions without a jump.
void fit_to(const program_file& program, runtime_settings& settings);

// The changes for a run on doall. The contents of LD_PRELOAD stay, after doall's library.
environment_changes on_doall(const std::filesystem::path& library, const runtime_settings& s);

// By which the runtime is told what runs loops that name no schedule.
inline constexpr const char* default_schedule_variable = "DOALL_DEFAULT_SCHEDULE";

// The changes for a run on the system's libgomp; `schedule` empty: as it is set. Removes doall's
// library from LD_PRELOAD and its folder from LD_LIBRARY_PATH, in case the command itself was
// started under doall.
environment_changes on_libgomp(const std::filesystem::path& library, const std::string& schedule,
                               std::optional<std::uint32_t> threads);

}  // namespace doall::cli
