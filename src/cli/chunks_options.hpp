// What `doall chunks` is asked for.
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

// False after --help, which it prints. Throws failure: bad_usage for a value,
// failed for a file that cannot be read or holds something else than costs.
bool read_chunks_request(const arguments& args, chunks_request& request);

}  // namespace doall::cli
