// The CPUs that the process had when doall was loaded.
//
// If OMP_PROC_BIND, OMP_PLACES or GOMP_CPU_AFFINITY says that threads are bound, the constructor of
// each libgomp binds the main thread to the first place: also that of a wheel's own, renamed one,
// of which nothing is called. Who asks afterwards what the process may use finds one CPU.
#pragma once

#include <sched.h>

#include <cstddef>
#include <cstdlib>

namespace doall::topology {

// An affinity mask; no bytes: not known. Without a constructor of its own, for it is written by one
// that may come before others.
struct cpu_mask {
  static constexpr std::size_t most_cpus = 8192;
  std::size_t bytes;
  unsigned long words[most_cpus / 8 / sizeof(unsigned long)];
};

// The calling thread's, if a variable says that threads are bound.
inline void note_cpus(cpu_mask& mask) {
  for (const char* name : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"}) {
    if (std::getenv(name) == nullptr) continue;
    auto* const words = reinterpret_cast<cpu_set_t*>(mask.words);
    if (sched_getaffinity(0, sizeof mask.words, words) == 0) mask.bytes = sizeof mask.words;
    return;
  }
}

// What `doall run` preloads has noted them before this library is there, and finds the function by
// its name.
void know_cpus(const cpu_mask& at_load);
inline constexpr const char* name_of_know_cpus = "_ZN5doall8topology9know_cpusERKNS0_8cpu_maskE";

}  // namespace doall::topology
