#include "driver/load_watch.hpp"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.hpp"
#include "driver/machine.hpp"

namespace doall::bench {

load_watch::load_watch(const std::vector<contender>& present)
    : present_(present),
      begin_ns_(base::now_ns()),
      busy_ns_(machine_busy_ns()),
      own_ns_(own_cpu_ns()) {}

std::uint64_t load_watch::own_cpu_ns() const {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  std::uint64_t sum_ns = static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
                         static_cast<std::uint64_t>(used.tv_nsec);
  for (const contender& c : present_) sum_ns += c.lane->cpu_ns();
  return sum_ns;
}

double load_watch::others_share() const {
  const auto own_ns = static_cast<double>(own_cpu_ns() - own_ns_);
  const auto busy_ns = static_cast<double>(machine_busy_ns() - busy_ns_);
  const auto cpu_ns = static_cast<double>(base::now_ns() - begin_ns_) *
                      static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  return std::clamp((busy_ns - own_ns) / cpu_ns, 0.0, 1.0);
}

std::string load_text(double others_share) {
  return fmt::format("Other programs used {:.0f}% of the machine's CPU time meanwhile{}\n",
                     others_share * 100,
                     others_share > 0.05 ? ": repeat this on a quiet machine" : "");
}

}  // namespace doall::bench
