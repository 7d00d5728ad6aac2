// Where programs are: apart, for the compiler drivers need no more of the command than this.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "process/failure.hpp"
#include "process/preload.hpp"
#include "process/program.hpp"

namespace doall::cli {
namespace {

namespace fs = std::filesystem;

enum class found { yes, no, not_executable };

found look_at(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return found::no;
  // A path that may not be searched ends as execve's EACCES does.
  if (error || !fs::is_regular_file(status)) return found::not_executable;
  return faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0 ? found::yes
                                                                  : found::not_executable;
}

}  // namespace

fs::path command_folder() { return fs::canonical("/proc/self/exe").parent_path(); }

fs::path find_program_or_library(const std::string& name) {
  std::error_code ignored;
  if (name.find('/') != std::string::npos && fs::is_regular_file(name, ignored)) return name;
  return find_program(name);
}

fs::path find_program(const std::string& name) {
  const auto check = [](const fs::path& path) {
    const found what = look_at(path);
    if (what == found::not_executable) {
      std::error_code ignored;
      const bool folder = fs::is_directory(path, ignored);
      throw failure(cannot_execute,
                    fmt::format("{} {}", path.string(),
                                folder ? "is a folder, not a program" : "is not executable"));
    }
    return what == found::yes;
  };
  if (name.find('/') != std::string::npos || name == "." || name == "..") {
    if (check(name)) return name;
    throw failure(not_found, fmt::format("{}: no such program", name));
  }

  // Like execvp(3), a file that may not be executed does not end the search.
  const char* variable = std::getenv("PATH");
  std::string_view rest = variable != nullptr ? variable : "/bin:/usr/bin";
  fs::path unusable;
  for (bool more = !name.empty(); more;) {
    const auto colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
    const found what = look_at(candidate);
    if (what == found::yes) return candidate;
    if (what == found::not_executable && unusable.empty()) unusable = candidate;
    more = colon != std::string_view::npos;
    if (more) rest.remove_prefix(colon + 1);
  }
  if (!unusable.empty()) check(unusable);
  const bool is_for_shell = name.find_first_of(" |&;<>") != std::string::npos;
  throw failure(not_found,
                fmt::format("no program \"{}\" in PATH{}", name,
                            is_for_shell ? "; for a command of the shell: sh -c \"...\"" : ""));
}

}  // namespace doall::cli
