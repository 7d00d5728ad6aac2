// The driver's end of a lane (lane.hpp): a child process that is stopped by
// SIGSTOP whenever it is not being asked. A lane that waits actively, or still
// spins after its last loop, therefore takes no CPU from the one that is measured.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace doall::bench {

struct lane_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

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

  const std::string& library() const { return library_; }
  unsigned threads() const { return threads_; }
  const std::vector<std::string>& schedules() const { return schedules_; }

  // Throws lane_error unless in that many loops every iteration ran exactly once
  // a loop. Returns in what part of as many again the last iteration ran on
  // another thread than the caller's. `schedule` is an index of schedules().
  double check(std::size_t schedule, unsigned loops);

  // Nanoseconds a loop, one number a batch, after a warm-up.
  std::vector<double> time(std::size_t schedule, unsigned batches);

  // CPU time that the lane has used so far.
  std::uint64_t cpu_ns() const;

 private:
  void start(const lane_command& command);
  void end();
  void pause();
  void resume();
  std::string ask(const std::string& request);
  std::string read_line();

  std::string name_;
  pid_t pid_ = -1;
  int requests_ = -1;
  int answers_ = -1;
  std::string unread_;
  std::string library_;
  unsigned threads_ = 0;
  std::vector<std::string> schedules_;
};

}  // namespace doall::bench
