#include "process/other_load.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace doall::cli {

other_load::other_load() : machine_before_(of_machine()), children_before_(of_children()) {}

// The line of all CPUs: user, nice, system, idle, iowait, irq, softirq, steal.
std::optional<other_load::seconds> other_load::of_machine() {
  constexpr int idle = 3;
  constexpr int waiting = 4;
  constexpr int fields = 8;
  std::ifstream in("/proc/stat");
  std::string name;
  if (!(in >> name) || name != "cpu") return std::nullopt;
  const auto ticks_in_s = static_cast<double>(sysconf(_SC_CLK_TCK));
  seconds found;
  for (int n = 0; n < fields; ++n) {
    double ticks = 0;
    if (!(in >> ticks)) return std::nullopt;
    found.all += ticks / ticks_in_s;
    if (n != idle && n != waiting) found.busy += ticks / ticks_in_s;
  }
  return found;
}

double other_load::of_children() {
  rusage used{};
  if (getrusage(RUSAGE_CHILDREN, &used) != 0) return 0;
  const auto in_s = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return in_s(used.ru_utime) + in_s(used.ru_stime);
}

std::optional<double> other_load::part() const {
  const auto now = of_machine();
  if (!now || !machine_before_ || now->all <= machine_before_->all) return std::nullopt;
  const double others = now->busy - machine_before_->busy - (of_children() - children_before_);
  return std::clamp(others / (now->all - machine_before_->all), 0.0, 1.0);
}

std::uint64_t other_load::children_ns() const {
  constexpr double ns_in_s = 1e9;
  return static_cast<std::uint64_t>(ns_in_s * std::max(0.0, of_children() - children_before_));
}

}  // namespace doall::cli
