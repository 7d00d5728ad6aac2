#include "sim/memory.hpp"

#include <algorithm>

namespace doall::sim {

std::size_t memory_system::blocks_in(double cache_bytes, std::size_t blocks) const {
  return static_cast<std::size_t>(
      std::min<double>(cache_bytes / block_bytes_, static_cast<double>(blocks)));
}

memory_system::memory_system(const machine& of, std::uint32_t processors, std::uint32_t blocks,
                             double block_bytes)
    : of_(of),
      block_bytes_(block_bytes),
      most_kept_(blocks_in(of.cache_bytes, blocks)),
      most_shared_(blocks_in(of.domain_cache_bytes, blocks)),
      caches_(processors),
      shared_(most_shared_ == 0 ? 0 : of.domains),
      holders_(blocks, std::vector<bool>(processors)),
      homes_(blocks, nowhere),
      memory_free_(of.domains) {
  for (cache& c : caches_) c.where.assign(blocks, c.kept.end());
  for (cache& c : shared_) c.where.assign(blocks, c.kept.end());
}

void memory_system::begin_loop() {
  bus_free_ = 0;
  std::ranges::fill(memory_free_, 0);
}

double memory_system::touch(std::uint32_t processor, block_use use, double now) {
  if (use.writes) take_from_others(processor, use.block);
  if (keep(caches_[processor], use.block, most_kept_)) return now;
  holders_[use.block][processor] = most_kept_ != 0;
  const double bytes = use.part * block_bytes_;
  const std::uint32_t domain = of_.domain_of(processor);
  if (!shared_.empty() && keep(shared_[domain], use.block, most_shared_)) {
    return now + of_.near_byte * bytes;
  }
  ++fetched_;
  std::uint32_t& home = homes_[use.block];
  if (home == nowhere) home = domain;
  const bool is_far = home != domain;
  (is_far ? far_bytes_ : near_bytes_) += bytes;
  if (of_.bus_byte != 0) now = bus_free_ = std::max(now, bus_free_) + of_.bus_byte * bytes;
  if (of_.memory_byte != 0) {
    double& free = memory_free_[home];
    now = free = std::max(now, free) + of_.memory_byte * bytes;
  }
  return now + of_.fetch + (is_far ? of_.far_byte : of_.fetch_byte) * bytes;
}

// Puts the block in front; whether it was there.
bool memory_system::keep(cache& in, block b, std::size_t most) {
  const bool was_here = in.where[b] != in.kept.end();
  if (was_here) {
    in.kept.splice(in.kept.begin(), in.kept, in.where[b]);
    return true;
  }
  if (most == 0) return false;
  if (in.kept.size() == most) {
    in.where[in.kept.back()] = in.kept.end();
    in.kept.pop_back();
  }
  in.kept.push_front(b);
  in.where[b] = in.kept.begin();
  return false;
}

void memory_system::take_from(cache& other, block b) {
  if (other.where[b] == other.kept.end()) return;  // it has made room for others
  other.kept.erase(other.where[b]);
  other.where[b] = other.kept.end();
}

void memory_system::take_from_others(std::uint32_t processor, block b) {
  std::vector<bool>& holders = holders_[b];
  for (std::uint32_t p = 0; p < caches_.size(); ++p) {
    if (p == processor || !holders[p]) continue;
    holders[p] = false;
    take_from(caches_[p], b);
  }
  for (std::uint32_t d = 0; d < shared_.size(); ++d) {
    if (d != of_.domain_of(processor)) take_from(shared_[d], b);
  }
}

}  // namespace doall::sim
