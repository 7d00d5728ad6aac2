// Commands that an experiment runs to their end: compilers, and programs that time themselves.
#pragma once

#include <string>
#include <vector>

namespace doall::bench {

using words = std::vector<std::string>;

struct ended {
  std::string output;
  double cpu_ns = 0;  // of its children too
};

// Runs a command, with those variables ("NAME=value") besides its own environment's, and reads what
// it prints. Throws lane_error unless it succeeds.
ended run(const words& command, const words& variables = {});

}  // namespace doall::bench
