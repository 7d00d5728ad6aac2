// A machine's memory in virtual time: caches, buses, and where a program's blocks are.
//
// Not modelled: what is fetched ahead, writing back, tags and associativity; a block that another
// domain's cache has comes from its home as any other.
#pragma once

#include <cstdint>
#include <list>
#include <vector>

#include "sim/machine.hpp"

namespace doall::sim {

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

  // Time begins anew: the bus and the memories are idle.
  void begin_loop();

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
  std::vector<double> memory_free_;  // by domain
  std::uint64_t fetched_ = 0;
  double near_bytes_ = 0;
  double far_bytes_ = 0;
};

}  // namespace doall::sim
