// doall bench: hands over to the benchmarks' driver, doall-bench, which is installed beside the
// command or in its libexec folder. It knows the benchmarks' names.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "process/child.hpp"
#include "process/options.hpp"
#include "process/preload.hpp"

namespace doall::cli {
namespace {

namespace fs = std::filesystem;

struct driver {
  fs::path file;  // "": none is installed
  std::vector<std::string> names = {};
};

// What the driver prints when it is given no name.
std::vector<std::string> names_from(const fs::path& file) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw failure(failed, "no pipe can be made");
  supervisor().run(
      {.file = file, .command = {file.string()}, .environment = {}, .output = ends[1]});
  close(ends[1]);
  std::string text;
  char part[512];
  for (ssize_t n = 0; (n = read(ends[0], part, sizeof part)) > 0;) {
    text.append(part, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  std::vector<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) names.push_back(line);
  return names;
}

// One beside the command comes before an installed one.
driver find_driver() {
  const fs::path here = command_folder();
  for (const fs::path& folder : {here, here / DOALL_BIN_TO_LIBEXEC / "doall"}) {
    std::error_code error;
    const fs::path file = folder / "doall-bench";
    if (fs::is_regular_file(file, error)) return {file, names_from(file)};
  }
  return {};
}

}  // namespace

int bench_command(const arguments& args) {
  const driver found = find_driver();
  const std::string names =
      found.names.empty() ? "none installed" : fmt::format("{}", fmt::join(found.names, ", "));

  option_parser options("bench", "[NAME [ARGS...]]",
                        "Runs a benchmark; without a name, lists them.",
                        "Benchmarks: " + names + "\nTheir own help: doall bench NAME --help");
  if (args.empty()) {
    for (const std::string& name : found.names) fmt::print("{}\n", name);
    return succeeded;
  }
  launch what;
  if (!options.read(args, what.command)) return succeeded;
  if (std::ranges::count(found.names, what.command.front()) == 0) {
    throw failure(bad_usage, fmt::format("unknown benchmark \"{}\", expected one of: {}",
                                         what.command.front(), names));
  }
  what.file = found.file;
  what.command.insert(what.command.begin(), found.file.string());
  become(what);
}

// The benchmark of that name; it knows the papers.
int paper_command(const arguments& args) {
  arguments named{"paper"};
  named.insert(named.end(), args.begin(), args.end());
  return bench_command(named);
}

}  // namespace doall::cli
