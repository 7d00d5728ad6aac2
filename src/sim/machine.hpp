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
// Not modelled: what is fetched ahead, writing back, tags and associativity; a block that another
// domain's cache has comes from its home as any other.
#pragma once

#include <cstdint>
#include <list>
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

// Where a machine's blocks are.
class memory_system {
 public:
  using block = std::uint32_t;

  memory_system(const machine& of, std::uint32_t processors, std::uint32_t blocks,
                double block_bytes);

  // Has the processor read or write a block, from `now` on; returns when it has done so. Calls come
  // in the order of `now`. O(1), and O(P / 64) to write.
  double touch(std::uint32_t processor, block_use use, double now);

  // Gives a block, which nobody has used, its home.
  void place(block b, std::uint32_t domain) { homes_[b] = domain; }

  // Time begins anew: the bus is idle.
  void begin_loop() { bus_free_ = 0; }

  std::uint64_t fetched() const { return fetched_; }

  // Bytes that came from memory: the own domain's, another's.
  double near_bytes() const { return near_bytes_; }
  double far_bytes() const { return far_bytes_; }

 private:
  // A processor's cache, the block that was used last in front.
  struct cache {
    std::list<block> kept;
    std::vector<std::list<block>::iterator> where;  // by block; kept.end(): it is not here
  };

  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  std::size_t blocks_in(double cache_bytes, std::size_t blocks) const;
  static bool keep(cache& in, block b, std::size_t most);
  static void take_from(cache& other, block b);
  void take_from_others(std::uint32_t processor, block b);

  const machine of_;
  double block_bytes_;
  std::size_t most_kept_;
  std::size_t most_shared_;
  std::vector<cache> caches_;
  std::vector<cache> shared_;               // by domain
  std::vector<std::vector<bool>> holders_;  // by block and processor
  std::vector<std::uint32_t> homes_;        // by block; nowhere: nobody has used it
  double bus_free_ = 0;
  std::uint64_t fetched_ = 0;
  double near_bytes_ = 0;
  double far_bytes_ = 0;
};

}  // namespace doall::sim
