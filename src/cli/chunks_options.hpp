// The options of `doall chunks`.
#pragma once

#include <cstdint>
#include <string>

#include "cli/command.hpp"
#include "sim/virtual_time.hpp"

namespace doall::cli {

struct chunks_request {
  sim::loop_setup loop;
  std::string costs;  // "uniform", the name of a shape, or the file's
  std::uint64_t runs = 1;
  bool all = false;
  bool json = false;
};

// Reads the options. On --help, prints the help and returns false. Throws failure: bad_usage for a
// bad value, failed for a file that cannot be read or does not hold costs.
bool read_chunks_request(const arguments& args, chunks_request& request);

}  // namespace doall::cli
