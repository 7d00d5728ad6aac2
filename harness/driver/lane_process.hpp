// The driver's end of a lane: a child process that answers a line with a line, and
// is stopped by SIGSTOP whenever it is not being asked. A lane that waits actively,
// or still spins after its last loop, therefore takes no CPU from the one that is
// measured. lanes/server.hpp is the other end, and has the protocol.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace doall::bench {

struct lane_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Of that clock; 0: of nobody.
std::uint64_t cpu_ns_of(clockid_t clock);
// CPU time that a process has used so far.
std::uint64_t cpu_ns_of_process(pid_t pid);

struct lane_command {
  std::filesystem::path program;
  std::vector<std::string> arguments;    // after the program's name
  std::vector<std::string> environment;  // "NAME=value"; nothing is inherited
};

class lane_process {
 public:
  // Starts it and waits for its first line. Throws lane_error, as all that
  // follows does, when the lane ends, or says nothing for a minute.
  explicit lane_process(const lane_command& command);
  ~lane_process();
  lane_process(const lane_process&) = delete;
  lane_process& operator=(const lane_process&) = delete;

  // The first line: what runs the loops, how many threads a loop has, and what
  // else the benchmark's lanes begin with.
  const std::string& library() const { return library_; }
  // Of "FILE (COMPILER)", as OpenMP's lanes have it, the two parts; without the second, the whole.
  std::string library_file() const { return library_.substr(0, library_.find(" (")); }
  std::string version() const;
  unsigned threads() const { return threads_; }
  const std::vector<std::string>& offers() const { return offers_; }

  // "LANE on LIBRARY", for messages.
  std::string name() const { return name_ + " on " + library_; }

  std::string ask(const std::string& request);

  // What it answers in numbers. Throws also when it answers fewer, or anything else, which is what
  // went wrong.
  std::vector<double> numbers(const std::string& request, std::size_t least = 1);

  std::uint64_t cpu_ns() const { return cpu_ns_of_process(pid_); }

 private:
  void start(const lane_command& command);
  void end();
  void pause();
  void resume();
  std::string read_line();

  std::string name_;
  pid_t pid_ = -1;
  int requests_ = -1;
  int answers_ = -1;
  std::string unread_;
  std::string library_;
  unsigned threads_ = 0;
  std::vector<std::string> offers_;
};

}  // namespace doall::bench
