#include "process/other_load.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>

#include "base/file_text.hpp"
#include "topology/topology.hpp"

namespace doall::cli {

namespace {

// A line of /proc/stat behind its name: user, nice, system, idle, iowait, irq, softirq, steal.
std::optional<cpu_seconds> read_line(std::istream& in) {
  constexpr int idle = 3;
  constexpr int waiting = 4;
  constexpr int fields = 8;
  const auto ticks_in_s = static_cast<double>(sysconf(_SC_CLK_TCK));
  cpu_seconds found;
  for (int n = 0; n < fields; ++n) {
    double ticks = 0;
    if (!(in >> ticks)) return std::nullopt;
    found.all += ticks / ticks_in_s;
    if (n != idle && n != waiting) found.busy += ticks / ticks_in_s;
  }
  return found;
}

}  // namespace

std::optional<cpu_seconds> cpu_seconds_of(std::string_view proc_stat,
                                          const std::vector<int>& cpus) {
  std::map<std::string, cpu_seconds> lines;
  std::istringstream text{std::string(proc_stat)};
  for (std::string line; std::getline(text, line);) {
    std::istringstream in(line);
    std::string name;
    if (!(in >> name) || !name.starts_with("cpu")) continue;
    if (const auto found = read_line(in)) lines.emplace(name, *found);
  }
  cpu_seconds some;
  bool tells_each = !cpus.empty();
  for (const int cpu : cpus) {
    const auto line = lines.find("cpu" + std::to_string(cpu));
    tells_each = tells_each && line != lines.end();
    if (!tells_each) break;
    some.busy += line->second.busy;
    some.all += line->second.all;
  }
  if (tells_each) return some;
  const auto all = lines.find("cpu");
  return all == lines.end() ? std::nullopt : std::optional(all->second);
}

other_load::other_load()
    : cpus_(topology::allowed_cpus()), cpus_before_(of_cpus()), children_before_(of_children()) {}

std::optional<cpu_seconds> other_load::of_cpus() const {
  return cpu_seconds_of(base::contents("/proc/stat").value_or(""), cpus_);
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
  const auto now = of_cpus();
  if (!now || !cpus_before_ || now->all <= cpus_before_->all) return std::nullopt;
  const double others = now->busy - cpus_before_->busy - (of_children() - children_before_);
  return std::clamp(others / (now->all - cpus_before_->all), 0.0, 1.0);
}

std::uint64_t other_load::children_ns() const {
  constexpr double ns_in_s = 1e9;
  return static_cast<std::uint64_t>(ns_in_s * std::max(0.0, of_children() - children_before_));
}

}  // namespace doall::cli
