// A machine in virtual time: what its memory, its queues and its processors cost.
//
// A program's data are blocks of one size, such as the rows of a matrix. Each processor keeps the
// blocks that it used last, as many as its cache holds, and a write takes a block from all other
// caches. A processor that has not got a block fetches it: the bus carries one block at a time, in
// the order in which they are asked for; the processor waits for the bus, and then for as long as
// its own connection takes.
//
// Times are in microseconds, as the papers' are. Machines are files, sim/machines/NAME.json: each
// number stands beside where it is from, or for which cell of a table it was fitted.
//
// Not modelled: what is fetched ahead, writing back, tags and associativity, a page's home.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  stealing_prices stealing{};       // in cycles
  std::optional<double> deal = {};  // stealing_setup's: the machine deals outermost loops
};

// The machines that come with doall, by name.
std::span<const std::string_view> machine_names();

// The one of that name. Throws std::invalid_argument: names those that there are.
machine find_machine(std::string_view name);

// Reads a machine's file: JSON with comments. Throws std::invalid_argument: names the field, or the
// line and column, and what was expected.
machine read_machine(std::string_view name, std::string_view text);

// Where a machine's blocks are.
class memory_system {
 public:
  memory_system(const machine& of, std::uint32_t processors, std::uint32_t blocks,
                double block_bytes);

  // Has the processor read or write a block, from `now` on; returns when it has done so. Calls come
  // in the order of `now`. O(1), and O(P / 64) to write.
  double touch(std::uint32_t processor, block_use use, double now);

  // Time begins anew: the bus is idle.
  void begin_loop() { bus_free_ = 0; }

  std::uint64_t fetched() const { return fetched_; }

 private:
  using block = std::uint32_t;

  // A processor's cache, the block that was used last in front.
  struct cache {
    std::list<block> kept;
    std::vector<std::list<block>::iterator> where;  // by block; kept.end(): it is not here
  };

  bool keep(cache& in, block b) const;
  void take_from_others(std::uint32_t processor, block b);

  const machine of_;
  double block_bytes_;
  std::size_t most_kept_;
  std::vector<cache> caches_;
  std::vector<std::vector<bool>> holders_;  // by block and processor
  double bus_free_ = 0;
  std::uint64_t fetched_ = 0;
};

}  // namespace doall::sim
