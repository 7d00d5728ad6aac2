#include "process/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "process/say.hpp"

namespace doall::cli {
namespace {

constexpr int passed_on[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1,
                             SIGUSR2, SIGTSTP, SIGCONT, SIGALRM, SIGWINCH};

bool asks_to_end(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

// Whether a terminal stopped it, and not a SIGSTOP that was meant for it alone.
bool stopped_as_a_job(int wait_status) {
  if (!WIFSTOPPED(wait_status)) return false;
  const int signal = WSTOPSIG(wait_status);
  return signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

void redirect(int from, int to) {
  if (from >= 0) dup2(from, to);
}

}  // namespace

void become(const launch& what) {
  for (const auto& [name, value] : what.environment) {
    if (value) {
      setenv(name.c_str(), value->c_str(), 1);
    } else {
      unsetenv(name.c_str());
    }
  }
  std::vector<char*> argv;
  for (const std::string& argument : what.command) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  // The file holds a slash, so there is no search; execvp, unlike execv, runs a script that names
  // no interpreter in the shell.
  execvp(what.file.c_str(), argv.data());
  throw failure(errno == ENOENT ? not_found : cannot_execute,
                fmt::format("cannot execute {}: {}", what.file.string(), std::strerror(errno)));
}

supervisor::supervisor() {
  sigemptyset(&watched_);
  sigemptyset(&ignored_before_);
  for (int signal : passed_on) {
    sigaddset(&watched_, signal);
    struct sigaction now{};
    if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN)
      sigaddset(&ignored_before_, signal);
  }
  sigaddset(&watched_, SIGCHLD);
  sigprocmask(SIG_BLOCK, &watched_, &mask_before_);
  // If it were ignored, children would vanish before waitpid().
  struct sigaction usual{};
  usual.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &usual, &child_action_before_);
  struct sigaction ignored{};
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignored, &pipe_action_before_);
}

supervisor::~supervisor() {
  close_pipe();
  restore_signals();
}

void supervisor::close_pipe() {
  if (not_executed_ >= 0) close(not_executed_);
  not_executed_ = -1;
}

// Of a child that has ended, before it is waited for.
void supervisor::note_user() {
  struct stat process{};
  if (child_ != 0 && stat(fmt::format("/proc/{}", child_).c_str(), &process) == 0)
    result_.user = process.st_uid;
}

void supervisor::restore_signals() const {
  sigaction(SIGCHLD, &child_action_before_, nullptr);
  sigaction(SIGPIPE, &pipe_action_before_, nullptr);
  sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
}

outcome supervisor::run(const launch& what) {
  start(what);
  for (;;) {
    switch (take_signal()) {
      case event::ended: return result_;
      // The shell that continues the command sends a SIGCONT, which is passed on.
      case event::stopped: raise(SIGSTOP); break;
      case event::other: break;
    }
  }
}

void supervisor::start(const launch& what) {
  std::fflush(nullptr);
  int ends[2] = {-1, -1};
  [[maybe_unused]] const int made = pipe2(ends, O_CLOEXEC);  // without: as if it was executed
  const pid_t ours = getpid();
  const pid_t child = fork();
  if (child < 0) throw failure(failed, fmt::format("cannot fork: {}", std::strerror(errno)));
  if (child == 0) {
    // A SIGKILL cannot be passed on; the program must not go on without the command.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != ours) _exit(failed);
    redirect(what.input, STDIN_FILENO);
    redirect(what.output, STDOUT_FILENO);
    redirect(what.errors, STDERR_FILENO);
    restore_signals();
    try {
      become(what);
    } catch (const failure& f) {
      say("doall: {}\n", f.what());
      std::fflush(stderr);
      [[maybe_unused]] const auto written = write(ends[1], "", 1);
      _exit(f.status);
    }
  }

  if (ends[1] >= 0) close(ends[1]);
  not_executed_ = ends[0];
  child_ = child;
  result_ = {};
  result_.user = geteuid();
}

supervisor::event supervisor::take_signal() {
  siginfo_t info;
  const int signal = sigwaitinfo(&watched_, &info);
  if (signal < 0) return event::other;
  if (signal != SIGCHLD) {
    // Who started the command may have had it ignored, as nohup does. The program may not.
    if (asks_to_end(signal) && sigismember(&ignored_before_, signal) == 0)
      result_.interrupted_by = signal;
    if (child_ == 0) return signal == SIGTSTP ? event::stopped : event::other;
    // What a terminal's keys send reaches every process of the job, so the program has it already.
    // Its hangup reaches the session's leader first, and an alarm the process that has set it.
    const bool is_own = signal == SIGHUP ? getsid(0) == getpid() : signal == SIGALRM;
    const bool has_it = info.si_code == SI_KERNEL && !is_own;
    if (!has_it) kill(child_, signal);
    return event::other;
  }
  // One signal may stand for several changes: the last one counts.
  bool stopped = false;
  int status = 0;
  note_user();
  while (child_ != 0 && waitpid(child_, &status, WNOHANG | WUNTRACED) == child_) {
    if (!WIFSTOPPED(status)) {
      result_.wait_status = status;
      char byte;
      result_.executed = not_executed_ < 0 || read(not_executed_, &byte, 1) != 1;
      close_pipe();
      child_ = 0;
      return event::ended;
    }
    stopped = stopped_as_a_job(status);
  }
  return stopped ? event::stopped : event::other;
}

void end_by_signal(int signal) {
  std::fflush(nullptr);
  prctl(PR_SET_DUMPABLE, 0);
  struct sigaction usual{};
  usual.sa_handler = SIG_DFL;
  sigaction(signal, &usual, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  raise(signal);
  std::_Exit(128 + signal);  // a signal that does not end a process
}

void end_as(int wait_status) {
  if (WIFSIGNALED(wait_status)) end_by_signal(WTERMSIG(wait_status));
  std::exit(WEXITSTATUS(wait_status));
}

std::string describe_end(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const int signal = WTERMSIG(wait_status);
    return fmt::format("was ended by signal {} ({})", signal, strsignal(signal));
  }
  return fmt::format("exited with status {}", WEXITSTATUS(wait_status));
}

}  // namespace doall::cli
