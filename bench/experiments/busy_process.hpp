// A foreign process that never sleeps, on one CPU.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace doall::bench {

class busy_process {
 public:
  // Forks it and returns when it is on that CPU. It ends with this object, or with the
  // thread that made it. Throws lane_error when it cannot be started or moved there.
  explicit busy_process(int cpu);
  ~busy_process();
  busy_process(const busy_process&) = delete;
  busy_process& operator=(const busy_process&) = delete;

  // CPU time that it has taken so far.
  std::uint64_t cpu_ns() const;

 private:
  pid_t pid_ = -1;
};

}  // namespace doall::bench
