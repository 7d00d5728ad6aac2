#include "driver/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "driver/lane_process.hpp"

namespace doall::bench {
namespace {

double ns_of(const timeval& t) {
  return (static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec)) * 1e3;
}

[[noreturn]] void become(const words& command, const words& variables, int output) {
  dup2(output, STDOUT_FILENO);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  for (const std::string& v : variables) putenv(const_cast<char*>(v.c_str()));
  execvp(argv[0], argv.data());
  _exit(127);
}

}  // namespace

ended run(const words& command, const words& variables) {
  int ends[2];
  if (pipe(ends) != 0) throw lane_error("a pipe could not be made");
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    become(command, variables, ends[1]);
  }
  close(ends[1]);
  ended made;
  char part[4096];
  for (ssize_t n = 0; child > 0 && (n = read(ends[0], part, sizeof part)) > 0;)
    made.output.append(part, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = -1;
  rusage used{};
  if (child < 0 || wait4(child, &status, 0, &used) != child || status != 0)
    throw lane_error(fmt::format("'{}' failed, status {}", fmt::join(command, " "), status));
  made.cpu_ns = ns_of(used.ru_utime) + ns_of(used.ru_stime);
  return made;
}

}  // namespace doall::bench
