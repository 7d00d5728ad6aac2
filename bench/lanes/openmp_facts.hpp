// What an OpenMP lane tells of the runtime that it is on.
#pragma once

#include <dlfcn.h>
#include <omp.h>

#include <string>

namespace doall::bench {

// The file that the dynamic linker took.
inline std::string openmp_library() {
  Dl_info info{};
  return dladdr(reinterpret_cast<void*>(&omp_get_num_threads), &info) != 0 ? info.dli_fname : "?";
}

inline unsigned openmp_team_size() {
  int size = 0;
#pragma omp parallel
#pragma omp single
  size = omp_get_num_threads();
  return static_cast<unsigned>(size);
}

}  // namespace doall::bench
