#include "driver/machine.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>

namespace doall::bench {

std::string machine_name() {
  utsname system{};
  uname(&system);
  std::string processor = system.machine;
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const auto colon = line.find(": ");
    if (colon == std::string::npos || !line.starts_with("model name")) continue;
    processor = line.substr(colon + 2);
    break;
  }
  return processor + ", " + system.sysname + " " + system.release;
}

std::uint64_t machine_busy_ns() {
  // cpu  user nice system idle iowait irq softirq steal; proc(5)
  std::ifstream stat("/proc/stat");
  std::string word;
  std::uint64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0,
                steal = 0;
  stat >> word >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
  const auto ticks_a_second = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  return (user + nice + system + irq + softirq + steal) * (1'000'000'000 / ticks_a_second);
}

}  // namespace doall::bench
