// doall bench: hands over to the benchmark programs that are installed beside
// the command. Each is a program of its own, doall-bench-NAME.
#include <fmt/format.h>

#include <map>

#include "cli/child.hpp"
#include "cli/options.hpp"
#include "cli/preload.hpp"

namespace doall::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "doall-bench-";

// By name; a program beside the command comes before an installed one.
std::map<std::string, fs::path> find_benchmarks() {
  std::map<std::string, fs::path> found;
  const fs::path here = command_folder();
  for (const fs::path& folder : {here, here / DOALL_BIN_TO_LIBEXEC / "doall"}) {
    std::error_code error;
    for (const fs::directory_entry& file : fs::directory_iterator(folder, error)) {
      const std::string name = file.path().filename().string();
      if (name.starts_with(prefix) && file.is_regular_file(error)) {
        found.emplace(name.substr(prefix.size()), file.path());
      }
    }
  }
  return found;
}

}  // namespace

int bench_command(const arguments& args) {
  const auto benchmarks = find_benchmarks();
  std::string names;
  for (const auto& [name, path] : benchmarks) names += (names.empty() ? "" : ", ") + name;
  if (names.empty()) names = "none installed";

  option_parser options("bench", "[NAME [ARGS...]]",
                        "Runs a benchmark; without a name, lists them.",
                        "Benchmarks: " + names + "\nTheir own help: doall bench NAME --help");
  if (args.empty()) {
    for (const auto& [name, path] : benchmarks) fmt::print("{}\n", name);
    return succeeded;
  }
  launch what;
  if (!options.read(args, what.command)) return succeeded;
  const auto chosen = benchmarks.find(what.command.front());
  if (chosen == benchmarks.end()) {
    throw failure(bad_usage, fmt::format("unknown benchmark \"{}\", expected one of: {}",
                                         what.command.front(), names));
  }
  what.file = chosen->second;
  what.command.front() = chosen->second.string();
  become(what);
}

}  // namespace doall::cli
