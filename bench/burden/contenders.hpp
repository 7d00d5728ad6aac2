// Who takes part in the comparison.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "burden/lane_process.hpp"

namespace doall::bench {

struct contest {
  unsigned threads = 1;
  bool pinned = true;
  std::vector<int> cpus;              // in the order in which threads are pinned
  std::vector<std::string> runtimes;  // of runtime_names()
};

const std::vector<std::string>& runtime_names();

// One process. A peer may have several that differ in their setting alone: the
// best of them counts.
struct contender {
  std::string runtime;
  std::string door;
  std::string setting;  // "" is the runtime's own default
  std::unique_ptr<lane_process> lane;
};

struct contenders {
  std::vector<contender> present;
  std::vector<std::string> left_out;  // "libomp: why"
};

// Starts the lanes, which stand beside this program's file.
contenders start_contenders(const contest& c);

// The OpenMP schedule that divides the loop likewise, its own name for most;
// "" for a schedule that OpenMP has not.
std::string counterpart(const std::string& schedule);

}  // namespace doall::bench
