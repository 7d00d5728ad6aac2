// Starts a program and stands in for it: while it runs the caller sees only the command `doall`, so
// the command passes signals on to the program, and ends the way the program ended.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <string>

#include "process/failure.hpp"
#include "process/preload.hpp"
#include "process/program.hpp"

namespace doall::cli {

struct launch {
  std::filesystem::path file;
  arguments command;  // argv, with the program's name as the user gave it
  environment_changes environment;
  // Descriptors that become the program's; -1: it inherits the command's.
  int input = -1;
  int output = -1;
  int errors = -1;
};

// Becomes the program. Throws failure when it cannot be executed.
[[noreturn]] void become(const launch& what);

struct outcome {
  int wait_status = 0;     // as waitpid(2) has it
  int interrupted_by = 0;  // a signal that asked the command to end meanwhile, or 0
  bool executed = true;    // if not, a line on standard error has said why
  uid_t user = 0;          // the effective one, as which it ended

  bool succeeded() const { return wait_status == 0; }
};

// While it lives, takes the signals that ask a program to end, stop or go on, so that it can pass
// them on. SIGPIPE is ignored: where nobody reads what the command says, the program goes on. One
// at a time, while there are no other threads.
class supervisor {
 public:
  supervisor();
  ~supervisor();
  supervisor(const supervisor&) = delete;
  supervisor& operator=(const supervisor&) = delete;

  // Returns when the program has ended. When a terminal stops it, the command stops too.
  outcome run(const launch& what);

  // The parts of run(), for a command that does something else meanwhile: it starts the program,
  // and calls take_signal() whenever one of watched() is pending (signalfd(2)). After `stopped` it
  // stops itself. A supervisor that starts no program passes nothing on.
  enum class event { other, stopped, ended };
  void start(const launch& what);
  event take_signal();
  const sigset_t& watched() const { return watched_; }
  const outcome& result() const { return result_; }

 private:
  void restore_signals() const;
  void close_pipe();
  void note_user();

  sigset_t watched_;
  sigset_t mask_before_;
  sigset_t ignored_before_;
  struct sigaction child_action_before_;
  struct sigaction pipe_action_before_;
  pid_t child_ = 0;        // 0: none was started
  int not_executed_ = -1;  // a byte comes there if it could not be executed
  outcome result_;
};

// Ends this process as a child with that status ended: with its exit status, or by its signal
// (without a core file: the child has left one, if any).
[[noreturn]] void end_as(int wait_status);
[[noreturn]] void end_by_signal(int signal);

// "exited with status 3", "was ended by signal 9 (Killed)".
std::string describe_end(int wait_status);

}  // namespace doall::cli
