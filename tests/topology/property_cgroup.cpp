// CPU quotas of random control groups, of both versions: the least on the way from the
// process's group to the hierarchy's root counts, whatever stands in the other files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "base/rng.hpp"
#include "support/seeds.hpp"
#include "support/temp_folder.hpp"
#include "topology/topology.hpp"

namespace doall::topology {
namespace {

enum class version { v1, v2 };

// What a group's files may hold.
struct limit {
  std::string quota;
  std::string period;
};

template <std::size_t N>
std::string any_of(base::rng& random, const char* const (&texts)[N]) {
  return texts[random.below(N)];
}

limit any_limit(base::rng& random, version kind) {
  const std::uint64_t period_us = 1000 + random.below(1000) * 1000;
  switch (random.below(4)) {
    case 0:  // none
      return {kind == version::v1 ? "-1" : "max", std::to_string(period_us)};
    case 1:  // nothing that a kernel writes
      return {any_of(random, {"", "0", "1e5", "-7", "+5", "0x10", "many", "12a",
                              "99999999999999999999999"}),
              std::to_string(period_us)};
    case 2:  // below one CPU
      return {std::to_string(1 + random.below(period_us)), std::to_string(period_us)};
    default:
      return {std::to_string(period_us + random.below(16 * period_us)),
              any_of(random, {"100000", "50000", "1000", "0", "", "x"})};
  }
}

// A number of the kernel's, from 1.
std::optional<double> number(const std::string& text) {
  if (text.empty() || text.size() > 18) return std::nullopt;
  if (text.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  const double value = std::stod(text);
  return value == 0 ? std::nullopt : std::optional(value);
}

class tree {
 public:
  tree(base::rng& random, version kind, std::uint64_t depth) : kind_(kind) {
    const std::string mount = kind == version::v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu,cpuacct";
    std::string group;
    for (std::uint64_t level = 0; level <= depth; ++level) {
      if (level > 0) group += "/level" + std::to_string(level);
      set(mount + group, any_limit(random, kind));
    }
    // Groups beside the way do not count.
    set(mount + group + "/below", {"1", "1000000"});
    set(mount + "/beside", {"1", "1000000"});
    if (group.empty()) group = "/";
    root_.write("/proc/self/cgroup",
                kind == version::v2 ? "0::" + group + "\n"
                                    : "7:memory:/elsewhere\n5:cpu,cpuacct:" + group + "\n0::/\n");
    root_.write("/proc/self/mountinfo",
                kind == version::v2
                    ? "29 23 0:26 / " + mount + " rw - cgroup2 cgroup2 rw\n"
                    : "33 31 0:30 / " + mount + " rw - cgroup cgroup rw,cpu,cpuacct\n");
  }

  std::optional<double> least() const { return least_; }
  std::string path() const { return root_.path(); }

 private:
  void set(const std::string& folder, const limit& of) {
    if (kind_ == version::v2) {
      root_.write(folder + "/cpu.max", of.quota + " " + of.period + "\n");
    } else {
      root_.write(folder + "/cpu.cfs_quota_us", of.quota + "\n");
      root_.write(folder + "/cpu.cfs_period_us", of.period + "\n");
    }
    const bool on_the_way =
        folder.find("/below") == std::string::npos && folder.find("/beside") == std::string::npos;
    const auto quota = number(of.quota);
    const auto period = number(of.period);
    if (!on_the_way || !quota || !period) return;
    least_ = std::min(least_.value_or(*quota / *period), *quota / *period);
  }

  version kind_;
  tests::temp_folder root_;
  std::optional<double> least_;
};

TEST(ControlGroups, TheLeastQuotaOnTheWayUpCounts) {
  tests::for_each_case(100, [](base::rng& random) {
    const version kind = random.below(2) == 0 ? version::v1 : version::v2;
    const tree groups(random, kind, random.below(5));
    const auto found = read_cpu_quota(groups.path());
    ASSERT_EQ(found.has_value(), groups.least().has_value());
    const thread_count threads = thread_count_for(8, found);
    if (!found) {
      EXPECT_EQ(threads.value, 8U);
      return;
    }
    EXPECT_DOUBLE_EQ(found->cpus, *groups.least());
    EXPECT_EQ(threads.value, std::min(8.0, std::max(1.0, std::ceil(*groups.least()))));
  });
}

}  // namespace
}  // namespace doall::topology
