#include "process/dynamic_linker.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "process/child.hpp"
#include "process/failure.hpp"
#include "process/preload.hpp"
#include "process/temp_folder.hpp"

namespace doall::cli {

namespace fs = std::filesystem;

std::vector<std::string> linker_lines(const program_file& program) {
  const nameless_file listed = make_nameless_file();
  launch what;
  // With the library, so that what it needs is among the lines.
  runtime_settings with_library;
  with_library.opens_later = false;
  what.environment = on_doall(preload_library(), with_library);
  if (program.is_library) {
    what.file = inspect_program("/proc/self/exe").interpreter;
    what.command = {what.file.string(), "--list", fs::absolute(program.path).string()};
  } else {
    what.file = program.path;
    what.command = {program.path.string()};
    what.environment.emplace_back("LD_TRACE_LOADED_OBJECTS", "1");
  }
  // Not by a supervisor: the caller may have one.
  const pid_t child = fork();
  if (child < 0) return {};
  if (child == 0) {
    dup2(fileno(listed.get()), STDOUT_FILENO);
    dup2(fileno(listed.get()), STDERR_FILENO);
    try {
      become(what);
    } catch (...) {
      _exit(failed);
    }
  }
  waitpid(child, nullptr, 0);

  std::vector<std::string> lines;
  std::rewind(listed.get());
  char line[4096];
  while (std::fgets(line, sizeof line, listed.get()) != nullptr) {
    std::string_view text = line;
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    while (text.ends_with('\n')) text.remove_suffix(1);
    lines.emplace_back(text);
  }
  return lines;
}

std::string linker_complaint(const program_file& program) {
  if (!program.is_elf() || program.interpreter.empty()) return {};
  for (std::string& line : linker_lines(program)) {
    // "libhwloc.so.15 => not found", "...: version `GLIBC_2.38' not found (required by ...)",
    // "ERROR: ld.so: object '...' from LD_PRELOAD cannot be preloaded (...): ignored."
    for (const char* words : {"not found", "cannot be preloaded", "cannot open shared object"}) {
      if (line.find(words) != std::string::npos) return line;
    }
  }
  return {};
}

}  // namespace doall::cli
