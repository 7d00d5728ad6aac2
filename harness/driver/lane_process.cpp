#include "driver/lane_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <sstream>
#include <thread>

namespace doall::bench {
namespace {

constexpr int patience_ms = 60'000;

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& t : texts) pointers.push_back(t.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string end_text(int wait_status) {
  if (!WIFSIGNALED(wait_status)) {
    return fmt::format("exited with status {}", WEXITSTATUS(wait_status));
  }
  const int signal = WTERMSIG(wait_status);
  return fmt::format("was ended by signal {} ({})", signal, strsignal(signal));
}

}  // namespace

lane_process::lane_process(const lane_command& command)
    : name_(command.program.filename().string()) {
  start(command);
  try {
    std::istringstream line(read_line());
    std::string field;
    if (!std::getline(line, library_, '\t') || !(line >> threads_)) {
      throw lane_error(name_ + " did not begin with its library and threads");
    }
    line.get();
    while (std::getline(line, field, '\t')) offers_.push_back(field);
    pause();
  } catch (const lane_error&) {
    end();
    throw;
  }
}

lane_process::~lane_process() { end(); }

std::string lane_process::version() const {
  const auto begin = library_.find(" (");
  if (begin == std::string::npos) return library_;
  return library_.substr(begin + 2, library_.size() - begin - 3);
}

void lane_process::start(const lane_command& command) {
  std::vector<std::string> arguments{command.program.string()};
  arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
  std::vector<std::string> environment = command.environment;
  const auto argv = pointers_to(arguments);
  const auto envp = pointers_to(environment);

  int in[2] = {-1, -1};
  int out[2] = {-1, -1};
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || (pid_ = fork()) < 0) {
    const int error = errno;
    for (const int fd : {in[0], in[1], out[0], out[1]}) close(fd);
    throw lane_error(fmt::format("{} could not be started: {}", name_, std::strerror(error)));
  }
  if (pid_ == 0) {
    // A stopped lane cannot see that its driver has died.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    execve(argv[0], argv.data(), envp.data());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  requests_ = in[1];
  answers_ = out[0];
}

void lane_process::end() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_ = -1;
  for (int* fd : {&requests_, &answers_}) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
  }
}

// First lets the lane's threads fall asleep, as far as they do. A thread that is stopped while it
// spins finds that it was kept from its CPU, as by another program; a runtime that learns from that
// (park/patience.hpp) would be judged by our stops. waitpid(2) reports the stop when the last of
// the threads has stopped.
void lane_process::pause() {
  constexpr std::chrono::milliseconds falls_asleep_within(10);
  std::this_thread::sleep_for(falls_asleep_within);
  int status = 0;
  kill(pid_, SIGSTOP);
  waitpid(pid_, &status, WUNTRACED);
  if (WIFSTOPPED(status)) return;
  pid_ = -1;
  throw lane_error(name_ + ' ' + end_text(status));
}

void lane_process::resume() { kill(pid_, SIGCONT); }

std::string lane_process::ask(const std::string& request) {
  if (pid_ < 0) throw lane_error(name_ + " is gone");
  resume();
  const std::string line = request + '\n';
  // Far less than a pipe holds: written whole, or the lane is gone, which reading tells.
  static_cast<void>(!write(requests_, line.data(), line.size()));
  std::string answer = read_line();
  pause();
  return answer;
}

std::string lane_process::read_line() {
  for (;;) {
    if (const auto end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    pollfd wanted{answers_, POLLIN, 0};
    if (poll(&wanted, 1, patience_ms) == 0) {
      end();  // or it would run beside those that are measured
      throw lane_error(fmt::format("{} did not answer within {} s", name_, patience_ms / 1000));
    }
    char buffer[4096];
    const ssize_t got = read(answers_, buffer, sizeof buffer);
    if (got <= 0) {
      int status = 0;
      waitpid(pid_, &status, 0);
      pid_ = -1;
      throw lane_error(name_ + ' ' + end_text(status));
    }
    unread_.append(buffer, static_cast<std::size_t>(got));
  }
}

std::vector<double> lane_process::numbers(const std::string& request, std::size_t least) {
  const std::string text = ask(request);
  std::istringstream fields(text);
  std::vector<double> found;
  for (double one = 0; fields >> one;) found.push_back(one);
  if (!fields.eof() || found.size() < least) {
    throw lane_error(
        fmt::format("{}, asked \"{}\": {}", name(), request, text.empty() ? "no answer" : text));
  }
  return found;
}

std::uint64_t cpu_ns_of(clockid_t clock) {
  timespec used{};
  if (clock_gettime(clock, &used) != 0) return 0;
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(used.tv_nsec);
}

std::uint64_t cpu_ns_of_process(pid_t pid) {
  clockid_t clock{};
  return clock_getcpuclockid(pid, &clock) == 0 ? cpu_ns_of(clock) : 0;
}

}  // namespace doall::bench
