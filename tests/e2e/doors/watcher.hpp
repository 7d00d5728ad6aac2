// Starts a process under test, watches it, and judges its end.
#pragma once

#include <string>
#include <vector>

#include "doors/page.hpp"

namespace doall::doors {

struct started_process {
  std::vector<std::string> arguments;    // the first is the program
  std::vector<std::string> environment;  // NAME=value, beside one's own
  int status = 0;                        // as waitpid() tells it, when all is well
};

class watcher {
 public:
  // A process in which nothing has moved for so long hangs; one that moves may take `most_s`.
  watcher(unsigned stall_s, unsigned most_s);

  // Whether it ended as it should. If not, what went wrong stands on stderr: of a process that
  // hangs the stacks of all threads, also of its children.
  bool run(const started_process& process);

  u64 programs() const { return page_.programs.load(std::memory_order_relaxed); }
  u64 actions() const { return page_.actions(); }

 private:
  bool wait_for(int process, int& status);
  std::string answer_of(int thread) const;
  void print_stacks(int group) const;

  const unsigned stall_s_;
  const unsigned most_s_;
  page& page_;
  int answers_ = -1;  // from threads that were asked for their stacks
};

}  // namespace doall::doors
