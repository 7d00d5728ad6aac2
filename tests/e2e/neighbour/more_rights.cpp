// A set-user-id program, run by somebody else: what its caller's environment says of folders is not
// heeded, so it writes nothing there; without more rights than its caller it does. As root.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <doall/doall.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

namespace {

namespace fs = std::filesystem;
constexpr int skipped = 77;
constexpr unsigned nobody = 65534;

int work() {
  double sum = 0;
  for (int i = 0; i < 100; ++i)
    sum += doall::parallel_reduce(0, 1000, 0.0, [](int k) { return k; }, std::plus<>{});
  return sum > 0 ? 0 : 1;
}

// What a child returns that is nobody and executes the file.
int run_as_nobody(const std::string& file) {
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(nobody) != 0 || setuid(nobody) != 0) _exit(skipped);
    execl(file.c_str(), file.c_str(), "work", static_cast<char*>(nullptr));
    _exit(skipped);  // nobody may not read it
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// Removes the folder and ends.
[[noreturn]] void end(const fs::path& folder, int code, const char* why) {
  if (code != 0) std::fprintf(stderr, "%s\n", why);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  std::_Exit(code);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    if (std::strcmp(argv[1], "work") != 0) return 1;
    return work();
  }
  if (geteuid() != 0) return skipped;
  std::string name = "/tmp/doall-rights-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) return skipped;
  const fs::path folder = name;
  const fs::path reports = folder / "reports";
  const fs::path program = folder / "program";
  fs::create_directory(reports);
  fs::copy_file("/proc/self/exe", program);
  chmod(folder.c_str(), 0755);
  if (chown(reports.c_str(), nobody, nobody) != 0)
    end(folder, skipped, "cannot give a folder away");
  setenv("DOALL_REPORT_FOLDER", reports.c_str(), 1);
  setenv("DOALL_SMALL_LOOPS", "shared", 1);

  chmod(program.c_str(), 0755);
  const int plain = run_as_nobody(program);
  if (plain == skipped) end(folder, skipped, "nobody cannot run it");
  if (plain != 0) end(folder, 1, "the program without more rights failed");
  if (fs::is_empty(reports)) end(folder, 1, "no report of a program without more rights");
  fs::remove_all(reports);
  fs::create_directory(reports);
  if (chown(reports.c_str(), nobody, nobody) != 0)
    end(folder, skipped, "cannot give a folder away");

  chmod(program.c_str(), 04755);
  if (run_as_nobody(program) != 0) end(folder, 1, "the program with more rights failed");
  if (!fs::is_empty(reports)) end(folder, 1, "a program with more rights wrote a report");
  end(folder, 0, "");
}
