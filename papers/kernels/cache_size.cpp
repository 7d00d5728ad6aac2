#include "kernels/cache_size.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

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

}  // namespace doall::bench
