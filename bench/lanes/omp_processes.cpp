// What a process pays for its runtime: the whole time of a small program, from its start to its
// end. It has the lane's runtime and number of threads, but binds none: few programs are told to.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "lanes/omp_lines.hpp"

namespace doall::bench {
namespace {

// Of lane-omp-openmp-gcc: lane-start-openmp-gcc.
std::string program_beside() {
  constexpr std::string_view own = "lane-omp-";
  std::string path = std::filesystem::read_symlink("/proc/self/exe").string();
  return path.replace(path.rfind(own), own.size(), "lane-start-");
}

void run_process(const std::string& program, std::string what) {
  std::vector<char*> variables;
  for (char** one = environ; *one != nullptr; ++one) {
    if (!std::string_view(*one).starts_with("OMP_PROC_BIND=")) variables.push_back(*one);
  }
  variables.push_back(nullptr);
  std::string name = program;
  char* const arguments[] = {name.data(), what.data(), nullptr};
  pid_t process = 0;
  int status = 0;
  if (posix_spawn(&process, program.c_str(), nullptr, nullptr, arguments, variables.data()) != 0 ||
      waitpid(process, &status, 0) != process || status != 0) {
    throw std::runtime_error("wrong: " + program + ' ' + what);
  }
}

line process_line(const std::string& what) {
  const std::string program = program_beside();
  return {"process/" + what,
          [=](runs_number runs) {
            for (runs_number r = 0; r < runs; ++r) run_process(program, what);
          },
          [=] {
            run_process(program, what);
            return true;
          }};
}

}  // namespace

std::vector<line> process_lines() { return {process_line("threads"), process_line("region")}; }

}  // namespace doall::bench
