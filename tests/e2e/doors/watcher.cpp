#include "doors/watcher.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <sstream>

#include "base/clock.hpp"

namespace doall::doors {
namespace {

constexpr u64 second_ns = 1'000'000'000;

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::exit(2);
}

// A page that the processes under test find by its descriptor.
page& make_page() {
  const int file = memfd_create("doors", 0);
  if (file == -1 || ftruncate(file, sizeof(page)) != 0) give_up("memfd_create");
  void* const at = mmap(nullptr, sizeof(page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) give_up("mmap");
  setenv(page_variable, std::to_string(file).c_str(), 1);
  return *new (at) page;
}

int make_answers() {
  int ends[2];
  if (pipe(ends) != 0) give_up("pipe");
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  fcntl(ends[1], F_SETFL, O_NONBLOCK);  // a thread that answers late is not to wait
  setenv(stacks_variable, std::to_string(ends[1]).c_str(), 1);
  return ends[0];
}

std::vector<int> numbers_in(const std::string& folder) {
  std::vector<int> all;
  DIR* const open = opendir(folder.c_str());
  if (open == nullptr) return all;
  while (const dirent* entry = readdir(open)) {
    if (const int number = std::atoi(entry->d_name); number > 0) all.push_back(number);
  }
  closedir(open);
  return all;
}

std::string first_line(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// Field 3, the state, and field 5, the process group, of /proc/.../stat.
struct stat_fields {
  char state = '?';
  int group = 0;

  explicit stat_fields(const std::string& folder) {
    const std::string line = first_line(folder + "/stat");
    const auto name_end = line.rfind(')');
    if (name_end == line.npos) return;
    int parent = 0;
    std::sscanf(line.c_str() + name_end + 1, " %c %d %d", &state, &parent, &group);
  }
};

// What a program prints.
std::string output_of(const std::string& command) {
  std::string all;
  std::FILE* const from = popen(command.c_str(), "r");
  if (from == nullptr) return all;
  char some[512];
  while (std::fgets(some, sizeof some, from) != nullptr) all += some;
  pclose(from);
  return all;
}

// `  file +offset symbol` with the source's lines, where there is addr2line.
std::string explain(const std::string& line) {
  std::istringstream words(line);
  std::string file;
  std::string offset;
  if (!(words >> file >> offset) || offset.size() < 2 || offset[0] != '+') return line;
  if (file.find("doors") == file.npos && file.find("doall") == file.npos) return line;
  std::string found =
      output_of("addr2line -Cfpi -e '" + file + "' " + offset.substr(1) + " 2>/dev/null");
  while (!found.empty() && found.back() == '\n') found.pop_back();
  return found.empty() || found[0] == '?' ? line : "  " + found;
}

}  // namespace

watcher::watcher(unsigned stall_s, unsigned most_s)
    : stall_s_(stall_s), most_s_(most_s), page_(make_page()), answers_(make_answers()) {}

bool watcher::run(const started_process& process) {
  const pid_t child = fork();
  if (child == -1) give_up("fork");
  if (child == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (const std::string& setting : process.environment) {
      putenv(const_cast<char*>(setting.c_str()));
    }
    std::vector<char*> arguments;
    for (const std::string& a : process.arguments) {
      arguments.push_back(const_cast<char*>(a.c_str()));
    }
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    give_up(arguments[0]);
  }
  setpgid(child, child);
  int status = 0;
  const bool ended = wait_for(child, status);
  killpg(child, SIGKILL);  // children that it has left behind
  if (!ended) waitpid(child, &status, 0);
  if (!ended || status == process.status) return ended;
  std::fprintf(stderr, "wrong: the process ended with status 0x%x, expected 0x%x\n",
               static_cast<unsigned>(status), static_cast<unsigned>(process.status));
  return false;
}

bool watcher::wait_for(int process, int& status) {
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (handle == -1) give_up("pidfd_open");
  const u64 began_ns = base::now_ns();
  u64 moved_ns = began_ns;
  u64 seen = page_.actions();
  const char* why = nullptr;
  while (why == nullptr) {
    pollfd ended{handle, POLLIN, 0};
    if (poll(&ended, 1, 500) == 1) break;
    const u64 now_ns = base::now_ns();
    if (const u64 now = page_.actions(); now != seen) {
      seen = now;
      moved_ns = now_ns;
    }
    if (now_ns - moved_ns > stall_s_ * second_ns) why = "nothing has moved for";
    if (now_ns - began_ns > most_s_ * second_ns) why = "the process has not ended after";
  }
  close(handle);
  if (why == nullptr) return waitpid(process, &status, 0) == process;
  std::fprintf(stderr, "wrong: %s %llu s\n", why,
               static_cast<unsigned long long>(
                   (base::now_ns() - (why[0] == 'n' ? moved_ns : began_ns)) / second_ns));
  print_stacks(process);
  return false;
}

// Answers of others that come late are passed over.
std::string watcher::answer_of(int thread) const {
  const std::string begin = "thread " + std::to_string(thread) + "\n";
  const std::string begin_of_names = "thread " + std::to_string(thread) + " >";
  std::string read_so_far;
  for (int tries = 0; tries < 20; ++tries) {
    const auto at = std::min(read_so_far.find(begin), read_so_far.find(begin_of_names));
    if (at != read_so_far.npos && read_so_far.find("\n.\n", at) != read_so_far.npos) {
      return read_so_far.substr(at);
    }
    pollfd one{answers_, POLLIN, 0};
    if (poll(&one, 1, 100) != 1) continue;
    char some[4096];
    const ssize_t count = read(answers_, some, sizeof some);
    if (count > 0) read_so_far.append(some, static_cast<std::size_t>(count));
  }
  return "no answer\n";
}

void watcher::print_stacks(int group) const {
  for (const int process : numbers_in("/proc")) {
    const std::string folder = "/proc/" + std::to_string(process);
    if (stat_fields(folder).group != group) continue;
    std::fprintf(stderr, "process %d\n", process);
    for (const int thread : numbers_in(folder + "/task")) {
      const std::string its = folder + "/task/" + std::to_string(thread);
      std::fprintf(stderr, " %s, %c in %s\n", first_line(its + "/comm").c_str(),
                   stat_fields(its).state, first_line(its + "/wchan").c_str());
      if (syscall(SYS_tgkill, process, thread, SIGSYS) != 0) continue;
      const std::string answer = answer_of(thread);
      std::istringstream lines(answer);
      for (std::string line; std::getline(lines, line) && line != ".";) {
        std::fprintf(stderr, "  %s\n", explain(line).c_str());
      }
    }
  }
}

}  // namespace doall::doors
