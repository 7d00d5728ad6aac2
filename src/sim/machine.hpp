// A machine in virtual time: what its memory, its queues and its processors cost.
//
// A program's data are blocks of one size, such as the rows of a matrix. Each processor keeps the
// blocks that it used last, as many as its cache holds, and a write takes a block from all other
// caches. A processor that has not got a block fetches it: the bus carries one block at a time, in
// the order in which they are asked for; the processor waits for the bus, and then for as long as
// its own connection takes.
//
// Processors may lie in domains (sockets), neighbours together, each with a cache that its
// processors share and a memory of its own. A block's home is the memory of the domain that used it
// first.
//
// Times are in microseconds, as the papers' are. Machines are files, sim/machines/NAME.json: each
// number stands beside where it is from, or for which cell of a table it was fitted.
//
// A domain's processors are its cores' first threads and then, where cores have several, the second
// ones: a team of half of them has a core each. Threads of the team that share a core are slower,
// all loop long. Single processors may be slower, too, or absent.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/launch.hpp"
#include "sim/stealing.hpp"
#include "sim/virtual_time.hpp"

namespace doall::sim {

struct machine {
  std::string name;
  std::uint32_t processors = 1;
  double unit = 1;                  // what one of a program's units of cost takes
  double cache_bytes = 0;           // of each processor; 0: nothing is kept
  double fetch = 0;                 // a block, besides its bytes
  double fetch_byte = 0;            // a byte, for the processor that waits
  double bus_byte = 0;              // a byte, on the bus of all
  sync_prices sync{};               // an access to a queue
  double spread = 0;                // processors come to a loop at random times within it
  double jitter = 0;                // and are slower in it by a random part, up to this
  stealing_prices stealing{};       // in cycles
  std::optional<double> deal = {};  // stealing_setup's: the machine deals outermost loops
  message_prices messages{};        // of a loop's launch and join

  std::uint32_t domains = 1;
  double domain_cache_bytes = 0;  // of each domain; 0: it shares none
  double near_byte = 0;           // a byte from there
  double far_byte = 0;            // a byte from another domain's memory
  double memory_byte = 0;         // a byte, at its domain's memory, which serves one at a time

  std::uint32_t threads_of_core = 1;
  double shared_core = 1;  // times as long, on a core that another thread of the team uses

  struct slow_processor {
    std::uint32_t number = 0;
    double times = 1;  // as long
  };
  std::vector<slow_processor> slow{};
  std::vector<std::uint32_t> absent{};

  // How many times as long iterations take on each processor of a team of the first so many.
  std::vector<double> slowness(std::uint32_t team) const;

  std::uint32_t domain_of(std::uint32_t processor) const {
    return static_cast<std::uint32_t>(std::uint64_t{processor} * domains / processors);
  }
};

// The machines that come with doall, by name.
std::span<const std::string_view> machine_names();

// The one of that name. Throws std::invalid_argument: names those that there are.
machine find_machine(std::string_view name);

// Reads a machine's file: JSON with comments. Throws std::invalid_argument: names the field and
// its line, or line and column, and what was expected.
machine read_machine(std::string_view name, std::string_view text);

}  // namespace doall::sim
