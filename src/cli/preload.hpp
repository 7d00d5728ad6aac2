// How a program is made to run on our runtime: the library, and the
// environment that loads and sets it.
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

// Where the replacement for libgomp.so.1 is looked for, best first: beside the
// command as installed, or in a build folder.
std::vector<std::filesystem::path> preload_candidates();

// The first that is there. Throws failure (failed) when none is, or when its
// path cannot be written in LD_PRELOAD.
std::filesystem::path preload_library();

// Variables to set, or to unset when there is no value.
using environment_changes = std::vector<std::pair<std::string, std::optional<std::string>>>;

struct runtime_settings {
  std::string schedule;                  // empty: as the program says
  std::optional<std::uint32_t> threads;  // likewise
  std::filesystem::path report_folder;   // empty: no report
};

// For a run on our runtime. Whatever LD_PRELOAD holds stays, behind ours.
environment_changes on_doall(const std::filesystem::path& library, const runtime_settings& s);

// For a run on the system's libgomp: our library leaves LD_PRELOAD and its
// folder LD_LIBRARY_PATH, should we have been started under ourselves.
environment_changes on_libgomp(const std::filesystem::path& library, const std::string& schedule,
                               std::optional<std::uint32_t> threads);

}  // namespace doall::cli
