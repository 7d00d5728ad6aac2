// The CPUs that the process had when doall was loaded.
//
// If OMP_PROC_BIND, OMP_PLACES or GOMP_CPU_AFFINITY says that threads are bound, the constructor of
// each libgomp binds the main thread to the first place: also that of a wheel's own, renamed one,
// of which nothing is called. Who asks afterwards what the process may use finds one CPU. The
// program may set such a variable itself, so the CPUs are noted in any case.
#pragma once

#include <sched.h>
#include <strings.h>

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

// The calling thread's.
inline void note_cpus(cpu_mask& mask) {
  auto* const words = reinterpret_cast<cpu_set_t*>(mask.words);
  if (sched_getaffinity(0, sizeof mask.words, words) == 0) mask.bytes = sizeof mask.words;
}

// Whether a variable says that threads are bound.
inline bool are_bound() {
  for (const char* name : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && strcasecmp(value, "false") != 0) return true;
  }
  return false;
}

// What `doall run` preloads has a mask of this name, which it has noted before this library is
// there.
inline constexpr const char* name_of_mask = "doall_cpus_at_load";

}  // namespace doall::topology
