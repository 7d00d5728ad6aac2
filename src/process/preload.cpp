#include "process/preload.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "observe/live.hpp"
#include "observe/record.hpp"
#include "process/failure.hpp"
#include "process/options.hpp"
#include "process/program.hpp"
#include "schedule/grammar.hpp"
#include "sites/choice_file.hpp"

namespace doall::cli {
namespace {

namespace fs = std::filesystem;

// The list in `variable` without the elements `dropped`; nothing when none of them is there.
std::optional<std::string> without(const char* variable, const char* separators,
                                   const std::vector<std::string>& dropped) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  std::string kept;
  bool changed = false;
  for (std::string_view rest = value; !rest.empty();) {
    const auto end = rest.find_first_of(separators);
    const std::string_view element = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    if (std::ranges::find(dropped, element) != dropped.end()) {
      changed = true;
    } else {
      kept += (kept.empty() ? "" : ":") + std::string(element);
    }
  }
  return changed ? std::optional(kept) : std::nullopt;
}

// Whether programs of musl's C library run here. Its dynamic linker takes what LD_PRELOAD names,
// and then ends a program for each function that only glibc has; a file that is not there it passes
// by.
bool has_musl() {
  utsname system{};
  if (uname(&system) != 0) return false;
  std::error_code ignored;
  return fs::exists(fmt::format("/lib/ld-musl-{}.so.1", system.machine), ignored);
}

// The file's path as glibc's dynamic linker alone understands it: from the program's folder, which
// it puts in place of $ORIGIN (ld.so(8)), up to the root, and down again.
std::string for_glibc_alone(const fs::path& file) {
  constexpr int depth_most = 64;
  std::string path = "$ORIGIN";
  for (int up = 0; up < depth_most; ++up) path += "/..";
  return path + file.string();
}

// What is preloaded for a program: the OpenMP library first, so that its symbols come before those
// of any other; then the names by which programs ask for one. The dynamic linker takes a preloaded
// library of such a soname for the one that the program needs, and loads no second runtime. The
// file for libiomp5.so has another name, for libraries that tell runtimes by it
// (src/omp/CMakeLists.txt). In place of the library comes the small one that opens it when it is
// needed (src/omp/lazy/), where there is one.
std::vector<std::string> preloaded_files(const fs::path& library, bool opens_later) {
  const fs::path names = library.parent_path();
  const fs::path whole = (names / "../../libdoall-omp.so.0").lexically_normal();
  const fs::path small = names / "doall-lazy.so";
  std::error_code ignored;
  const fs::path all[] = {opens_later && fs::exists(small, ignored) ? small : whole,
                          names / "libomp.so.5", names / "doall-iomp5.so", library};
  const bool hides = has_musl();
  std::vector<std::string> files;
  for (const fs::path& file : all) {
    if (fs::exists(file, ignored)) files.push_back(hides ? for_glibc_alone(file) : file.string());
  }
  return files;
}

// All that may be in a list of preloaded files.
std::vector<std::string> all_preloaded_files(const fs::path& library) {
  std::vector<std::string> all = preloaded_files(library, false);
  all.push_back(preloaded_files(library, true).front());
  return all;
}

// Has glibc keep room for the thread-local variables of a library that is opened later (512 bytes
// by default, of which it takes more), so that they cost no more than of one that is there from the
// start: 2 instructions an access, not 17.
std::string tunables_with_room() {
  constexpr std::string_view room = "glibc.rtld.optional_static_tls";
  const char* set = std::getenv("GLIBC_TUNABLES");
  const std::string others = set != nullptr && *set != '\0' ? std::string(set) + ':' : "";
  if (others.find(room) != others.npos) return set;
  return fmt::format("{}{}=1536", others, room);
}

}  // namespace

std::vector<fs::path> preload_candidates() {
  const fs::path file = "doall/omp/libgomp.so.1";
  const fs::path folder = command_folder();
  std::vector<fs::path> candidates{(folder / DOALL_BIN_TO_LIB / file).lexically_normal()};
  const fs::path in_build = (folder / "../lib" / file).lexically_normal();
  if (in_build != candidates.front()) candidates.push_back(in_build);
  return candidates;
}

fs::path preload_library() {
  std::string tried;
  for (const fs::path& candidate : preload_candidates()) {
    std::error_code ignored;
    if (!fs::exists(candidate, ignored)) {
      tried += "\n  " + candidate.string();
      continue;
    }
    if (candidate.string().find_first_of(" :\t\n") != std::string::npos) {
      throw failure(failed, fmt::format("LD_PRELOAD cannot name {}: a path in it has no blank and "
                                        "no colon; install doall in another folder",
                                        candidate.string()));
    }
    return candidate;
  }
  throw failure(failed, "doall's OpenMP library is not installed; looked for" + tried);
}

steering_options::steering_options(option_parser& options) : options_(options) {
  options
      .add_option("--schedule", schedule_,
                  "for loops that can be steered; 'doall schedules' lists them. Default: what the "
                  "program names, else auto")
      .shown_as("name[,number]...[,key=value]...");
  options.add_option("--threads", threads_, "workers in a team, 1 to 1024").shown_as("P");
}

runtime_settings steering_options::settings() const {
  runtime_settings settings;
  if (options_.has("--schedule")) {
    const schedules::parse_result parsed = schedules::parse(schedule_);
    if (!parsed) throw failure(bad_usage, parsed.error);
    settings.schedule = schedules::to_text(parsed.value);
  } else {
    settings.default_schedule = schedules::for_native_loops().name;
  }
  if (options_.has("--threads")) settings.threads = parse_threads(threads_);
  return settings;
}

void fit_to(const program_file& program, runtime_settings& settings) {
  for (const std::string& library : program.needed) {
    for (const std::string_view name : {"libasan.so.", "liblsan.so.", "libtsan.so."}) {
      if (library.starts_with(name)) settings.sanitizer = library;
    }
  }
  if (!settings.sanitizer.empty() || std::ranges::any_of(program.needed, is_openmp_runtime))
    settings.opens_later = false;
}

environment_changes on_doall(const fs::path& library, const runtime_settings& s) {
  const std::vector<std::string> files = preloaded_files(library, s.opens_later);
  std::string preload = fmt::format("{}", fmt::join(files, ":"));
  if (!s.sanitizer.empty()) preload = s.sanitizer + ':' + preload;
  if (const char* others = std::getenv("LD_PRELOAD"); others != nullptr && *others != '\0') {
    preload += ':' + without("LD_PRELOAD", ": ", all_preloaded_files(library)).value_or(others);
  }
  environment_changes changes{{"LD_PRELOAD", preload}};
  if (s.opens_later) changes.emplace_back("GLIBC_TUNABLES", tunables_with_room());
  if (!s.schedule.empty()) changes.emplace_back("DOALL_SCHEDULE", s.schedule);
  if (!s.default_schedule.empty() && std::getenv(default_schedule_variable) == nullptr) {
    changes.emplace_back(default_schedule_variable, s.default_schedule);
  }
  if (s.threads) changes.emplace_back("DOALL_NUM_THREADS", std::to_string(*s.threads));
  if (!s.report_folder.empty()) {
    changes.emplace_back(observe::report_folder_variable, s.report_folder.string());
    if (s.records_costs)
      changes.emplace_back(observe::report_costs_variable, s.records_only ? "only" : "1");
    if (s.trace_events != 0)
      changes.emplace_back(observe::report_trace_variable, std::to_string(s.trace_events));
  }
  if (!s.live_folder.empty())
    changes.emplace_back(observe::live_folder_variable, s.live_folder.string());
  if (!s.choices_folder.empty())
    changes.emplace_back(team::choices_folder_variable, s.choices_folder.string());
  if (!s.choices_file.empty())
    changes.emplace_back(team::choices_file_variable, s.choices_file.string());
  return changes;
}

environment_changes on_libgomp(const fs::path& library, const std::string& schedule,
                               std::optional<std::uint32_t> threads) {
  environment_changes changes;
  if (!schedule.empty()) changes.emplace_back("OMP_SCHEDULE", schedule);
  if (threads) changes.emplace_back("OMP_NUM_THREADS", std::to_string(*threads));
  if (auto kept = without("LD_PRELOAD", ": ", all_preloaded_files(library))) {
    changes.emplace_back("LD_PRELOAD", kept);
  }
  if (auto kept = without("LD_LIBRARY_PATH", ":;", {library.parent_path().string()})) {
    changes.emplace_back("LD_LIBRARY_PATH", kept);
  }
  return changes;
}

}  // namespace doall::cli
