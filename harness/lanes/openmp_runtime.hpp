// The runtime that an OpenMP lane is on, and the schedule of its loops of schedule(runtime).
#pragma once

#include <dlfcn.h>
#include <omp.h>

#include <stdexcept>
#include <string>

namespace doall::bench {

// "GCC 12.2.0": what has built the lane, and so the peer whose runtime it is on, unless ours is
// preloaded.
inline std::string openmp_compiler() {
  const auto dotted = [](int major, int minor, int patch) {
    return std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch);
  };
#ifdef __clang__
  return "Clang " + dotted(__clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return "GCC " + dotted(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

// "FILE (COMPILER)": the file is that which the dynamic linker took.
inline std::string openmp_library() {
  Dl_info info{};
  const bool known = dladdr(reinterpret_cast<void*>(&omp_get_num_threads), &info) != 0;
  return std::string(known ? info.dli_fname : "?") + " (" + openmp_compiler() + ')';
}

inline unsigned openmp_team_size() {
  int size = 0;
#pragma omp parallel
#pragma omp single
  size = omp_get_num_threads();
  return static_cast<unsigned>(size);
}

// doall's own function; null on another runtime.
inline auto doall_schedule_setter() {
  using setter = int (*)(const char*);
  return reinterpret_cast<setter>(dlsym(RTLD_DEFAULT, "doall_set_schedule"));
}

// As every OpenMP runtime knows them. (libomp's static_steal cannot be set by a program.)
inline omp_sched_t openmp_kind(const std::string& name) {
  if (name == "static") return omp_sched_static;
  if (name == "dynamic") return omp_sched_dynamic;
  if (name == "guided") return omp_sched_guided;
  throw std::invalid_argument("this OpenMP has no schedule " + name);
}

// KIND or KIND,CHUNK; on doall, whatever its grammar has. Throws std::invalid_argument.
inline void use_openmp_schedule(const std::string& text) {
  if (const auto set_any = doall_schedule_setter()) {
    if (set_any(text.c_str()) != 0) throw std::invalid_argument("doall has no schedule " + text);
    return;
  }
  const auto comma = text.find(',');
  const omp_sched_t kind = openmp_kind(text.substr(0, comma));
  omp_set_schedule(kind, comma == std::string::npos ? 0 : std::stoi(text.substr(comma + 1)));
}

}  // namespace doall::bench
