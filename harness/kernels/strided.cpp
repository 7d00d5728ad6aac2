#include "kernels/strided.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <string>

#include "kernels/kernel.hpp"

namespace doall::bench {

namespace {

constexpr std::size_t papers_bytes = std::size_t{16} << 20;

// The caches of the highest level yet, by the CPUs that share one.
struct last_level {
  int level = 0;
  std::map<std::string, std::size_t> bytes_of;
};

// `index`: a cache as a CPU sees it, /sys/devices/system/cpu/cpu*/cache/index*. Its size is
// a number of kilobytes, "107520K".
void look_at(const std::filesystem::path& index, last_level& last) {
  int level = 0;
  std::size_t kilobytes = 0;
  std::string cpus;
  std::ifstream(index / "level") >> level;
  std::ifstream(index / "size") >> kilobytes;
  std::ifstream(index / "shared_cpu_list") >> cpus;
  if (level < last.level || kilobytes == 0) return;
  if (level > last.level) last = {.level = level, .bytes_of = {}};
  last.bytes_of[cpus] = kilobytes << 10;
}

std::size_t kernels_answer() {
  last_level last;
  std::error_code none;  // no such folder: nothing is added
  for (const auto& cpu : std::filesystem::directory_iterator("/sys/devices/system/cpu", none)) {
    for (const auto& index : std::filesystem::directory_iterator(cpu.path() / "cache", none)) {
      look_at(index.path(), last);
    }
  }
  std::size_t sum = 0;
  for (const auto& [cpus, bytes] : last.bytes_of) sum += bytes;
  return sum;
}

std::size_t librarys_answer() {
#ifdef _SC_LEVEL3_CACHE_SIZE
  for (const int name : {_SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE}) {
    if (const long bytes = sysconf(name); bytes > 0) return static_cast<std::size_t>(bytes);
  }
#endif
  return 0;
}

}  // namespace

std::size_t last_level_cache_bytes() {
  if (const std::size_t bytes = kernels_answer(); bytes != 0) return bytes;
  if (const std::size_t bytes = librarys_answer(); bytes != 0) return bytes;
  return papers_bytes;
}

namespace {

constexpr std::size_t stride = 13;

std::size_t memory_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// How many lines iteration i's array has, of `lines` for all.
std::size_t share(balance b, std::size_t lines, std::size_t i, std::size_t iterations) {
  // At least as many that a step does not go round the array twice.
  constexpr std::size_t lines_min = 2;
  const std::size_t even = lines / iterations;
  const std::size_t part = b == balance::balanced ? even : 2 * even * (i + 1) / (iterations + 1);
  // An array's end must not be a multiple of the stride, or a walk would come back early.
  return std::max(lines_min, part % stride == 0 ? part + 1 : part);
}

}  // namespace

std::size_t bytes_of(working_set w) {
  const std::size_t cache = last_level_cache_bytes();
  const std::size_t wanted = w == working_set::half_of_cache  ? cache / 2
                             : w == working_set::all_of_cache ? cache
                                                              : 4 * cache;
  return std::min(wanted, memory_bytes() / 8);
}

strided::strided(size s, balance b, working_set w)
    : strided(s == size::paper ? 4096 : 100, s == size::paper ? 10 : 4, b,
              s == size::paper ? bytes_of(w) : 100'000) {}

strided::strided(std::size_t iterations, int phases, balance b, std::size_t bytes)
    : phases_(phases), begins_(iterations + 1), sums_(iterations) {
  const std::size_t lines = bytes / sizeof(line);
  for (std::size_t i = 0; i < iterations; ++i) {
    begins_[i + 1] = begins_[i] + share(b, lines, i, iterations);
  }
  lines_.resize(begins_.back());
}

void strided::reset() {
  for (std::size_t i = 0; i < iterations(); ++i) {
    const std::span<std::uint64_t> elements = array(i);
    std::iota(elements.begin(), elements.end(), 0);
  }
  std::ranges::fill(sums_, 0);
}

std::span<std::uint64_t> strided::array(std::size_t i) {
  return {lines_[begins_[i]].elements, length(i)};
}

void strided::walk(std::size_t i) {
  note(0, i);
  const std::span<std::uint64_t> elements = array(i);
  std::uint64_t sum = 0;
  std::size_t at = 0;
  for (std::size_t left = elements.size(); left > 0; --left) {
    sum += elements[at];
    elements[at] = 5 * elements[at] + 1;
    at += stride;
    if (at >= elements.size()) at -= elements.size();
  }
  sums_[i] = 31 * sums_[i] + sum;
}

std::size_t strided::chunk(std::size_t workers) const { return chunk_of(iterations(), workers); }

}  // namespace doall::bench
