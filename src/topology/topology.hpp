// The machine, and how much of it this process may use.
//
// Every program that runs under doall calls default_thread_count() when it starts. So that function
// makes one system call, reads a few small files, and does not load hwloc: loading a topology took
// 0.2 ms on 2 CPUs, grows with their number, and would count the same CPUs, since the kernel keeps
// CPUs that are offline or outside the cpuset out of every affinity mask. pin_order() and
// describe_machine() load it, once; so does KMP_HW_SUBSET (hw_subset.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace doall::topology {

// The CPU bandwidth that control groups grant, in CPUs (1.5: 150 ms of CPU time in every 100 ms),
// and the file that says so.
struct cpu_quota {
  double cpus = 0;
  std::string source;
};

// The smallest quota on the way from the process's own group to the root, of cgroup v2 (cpu.max) or
// v1 (cpu.cfs_quota_us / cpu.cfs_period_us); nothing when there is none. `root` is put before /proc
// and the mount points: tests give a folder that plays the file system.
std::optional<cpu_quota> read_cpu_quota(const std::string& root = "");

// CPUs in the calling thread's affinity mask, in increasing order of number; empty only if the
// kernel does not tell.
std::vector<int> allowed_cpus();

// Those that the process may use: the same, but for a thread that a libgomp's constructor has bound
// (cpus_at_load.hpp).
std::vector<int> cpus_of_process();

// How many workers a team has if no variable names their number, and why: the lesser of the usable
// CPUs (hw_subset.hpp) and the quota rounded up, at least 1.
struct thread_count {
  std::uint32_t value = 1;
  std::string why;  // one line, for `doall doctor`
};

thread_count default_thread_count(const std::string& root = "");

// The rule behind it, for that many CPUs.
thread_count thread_count_for(std::size_t cpus, const std::optional<cpu_quota>& quota,
                              const char* where = "the affinity mask");

// Usable CPUs in the order in which workers 0, 1, ... are pinned: one core after the other,
// hardware threads of a core last, neighbours in cache and NUMA domain together.
std::vector<int> pin_order();

struct cache {
  unsigned level = 0;
  std::uint64_t bytes = 0;
  unsigned count = 0;
  unsigned shared_by = 0;  // processing units that share one
};

// The whole machine, including what this process may not use. For `doall doctor`.
struct machine {
  unsigned packages = 0;
  unsigned numa_domains = 0;
  unsigned cores = 0;
  unsigned processing_units = 0;
  std::vector<cache> caches;  // by level; caches of one level that differ are listed apart
  std::string hwloc_version;  // that doall was built with
};

machine describe_machine();

}  // namespace doall::topology
