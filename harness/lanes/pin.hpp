#pragma once

#include <sched.h>

#include <sstream>
#include <string>
#include <vector>

namespace doall::bench {

// "CPU,CPU,...", as the driver names them to a lane.
inline std::vector<int> cpus_in(const std::string& list) {
  std::istringstream fields(list);
  std::vector<int> cpus;
  for (std::string cpu; std::getline(fields, cpu, ',');) cpus.push_back(std::stoi(cpu));
  return cpus;
}

// Keeps the calling thread on that CPU. A refusal leaves it where it was.
inline void pin_calling_thread(int cpu) {
  cpu_set_t* set = CPU_ALLOC(cpu + 1);
  if (set == nullptr) return;
  const auto bytes = CPU_ALLOC_SIZE(cpu + 1);
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(cpu, bytes, set);
  sched_setaffinity(0, bytes, set);
  CPU_FREE(set);
}

}  // namespace doall::bench
