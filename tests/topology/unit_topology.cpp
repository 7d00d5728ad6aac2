// src/topology: control groups from folders that play the file system, the rule
// for the number of threads, pin order and domains on synthetic machines, and what
// holds on whatever machine this runs.
#include "topology/topology.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <thread>

#include "support/temp_folder.hpp"
#include "topology/domains.hpp"
#include "topology/hwloc_tree.hpp"

namespace doall::topology {
namespace {

const std::string v2_mount =
    "29 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
const std::string v1_mount =
    "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n";

class control_groups : public testing::Test {
 protected:
  void process_is_in(const std::string& groups, const std::string& mounts) {
    root.write("/proc/self/cgroup", groups);
    root.write("/proc/self/mountinfo", "22 28 0:20 / /sys rw - sysfs sysfs rw\n" + mounts +
                                           "40 28 0:50 / /dev/shm rw shared:3 - tmpfs tmpfs rw\n");
  }
  void v1_group(const std::string& folder, const std::string& quota, const std::string& period) {
    root.write(folder + "/cpu.cfs_quota_us", quota);
    root.write(folder + "/cpu.cfs_period_us", period);
  }
  // 0: no quota.
  double cpus() const {
    const auto quota = read_cpu_quota(root.path());
    return quota ? quota->cpus : 0;
  }
  std::string source() const {
    const auto quota = read_cpu_quota(root.path());
    return quota ? quota->source.substr(root.path().size()) : "none";
  }

  tests::temp_folder root;
};

TEST_F(control_groups, no_proc_is_no_quota) { EXPECT_EQ(cpus(), 0); }

TEST_F(control_groups, v2_own_group) {
  process_is_in("0::/app\n", v2_mount);
  root.write("/sys/fs/cgroup/app/cpu.max", "150000 100000\n");
  EXPECT_DOUBLE_EQ(cpus(), 1.5);
  EXPECT_EQ(source(), "/sys/fs/cgroup/app/cpu.max");
}

TEST_F(control_groups, v2_max_is_no_quota) {
  process_is_in("0::/app\n", v2_mount);
  root.write("/sys/fs/cgroup/app/cpu.max", "max 100000\n");
  EXPECT_EQ(cpus(), 0);
}

TEST_F(control_groups, v2_the_least_on_the_way_up_counts) {
  process_is_in("0::/slice/pod/app\n", v2_mount);
  root.write("/sys/fs/cgroup/slice/cpu.max", "400000 100000\n");
  root.write("/sys/fs/cgroup/slice/pod/cpu.max", "50000 100000\n");
  root.write("/sys/fs/cgroup/slice/pod/app/cpu.max", "max 100000\n");
  EXPECT_DOUBLE_EQ(cpus(), 0.5);
  EXPECT_EQ(source(), "/sys/fs/cgroup/slice/pod/cpu.max");
}

TEST_F(control_groups, v2_group_of_a_container_is_the_mounts_root) {
  process_is_in("0::/\n", v2_mount);
  root.write("/sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_DOUBLE_EQ(cpus(), 2);
}

TEST_F(control_groups, a_group_that_the_mount_does_not_hold_falls_back_to_its_root) {
  process_is_in("0::/system.slice/docker-abc.scope\n", v2_mount);
  root.write("/sys/fs/cgroup/cpu.max", "300000 100000\n");
  // The same name as a folder on the way, but another group.
  root.write("/sys/fs/cgroup/system.slice/cpu.max", "100000 100000\n");
  EXPECT_DOUBLE_EQ(cpus(), 3);
}

TEST_F(control_groups, a_group_outside_the_namespace_falls_back_to_the_mounts_root) {
  process_is_in("0::/../other\n", v2_mount);
  root.write("/sys/fs/cgroup/cpu.max", "300000 100000\n");
  root.write("/sys/fs/other/cpu.max", "100000 100000\n");
  EXPECT_DOUBLE_EQ(cpus(), 3);
}

TEST_F(control_groups, a_mount_may_show_a_part_of_the_hierarchy) {
  process_is_in("4:cpu:/docker/abc/inner\n",
                "33 31 0:30 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
  v1_group("/sys/fs/cgroup/cpu/inner", "-1\n", "100000\n");
  v1_group("/sys/fs/cgroup/cpu", "250000\n", "100000\n");
  EXPECT_DOUBLE_EQ(cpus(), 2.5);
}

TEST_F(control_groups, of_two_mounts_the_one_that_shows_more_counts) {
  process_is_in("0::/a/b\n",
                "50 23 0:26 /a/b /part rw - cgroup2 cgroup2 rw\n"
                "51 23 0:26 /elsewhere /other rw - cgroup2 cgroup2 rw\n" +
                    v2_mount);
  root.write("/other/cpu.max", "10000 100000\n");
  root.write("/part/cpu.max", "200000 100000\n");
  root.write("/sys/fs/cgroup/a/b/cpu.max", "200000 100000\n");
  root.write("/sys/fs/cgroup/a/cpu.max", "100000 100000\n");
  EXPECT_DOUBLE_EQ(cpus(), 1);
}

TEST_F(control_groups, v1_nested) {
  process_is_in("5:cpu,cpuacct:/a/b\n4:memory:/m\n1:name=systemd:/\n", v1_mount);
  v1_group("/sys/fs/cgroup/cpu,cpuacct", "-1\n", "100000\n");
  v1_group("/sys/fs/cgroup/cpu,cpuacct/a", "75000\n", "50000\n");
  v1_group("/sys/fs/cgroup/cpu,cpuacct/a/b", "-1\n", "100000\n");
  EXPECT_DOUBLE_EQ(cpus(), 1.5);
  EXPECT_EQ(source(), "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us");
}

TEST_F(control_groups, v1_minus_one_is_no_quota) {
  process_is_in("5:cpu,cpuacct:/\n", v1_mount);
  v1_group("/sys/fs/cgroup/cpu,cpuacct", "-1\n", "100000\n");
  EXPECT_EQ(cpus(), 0);
}

TEST_F(control_groups, cpuset_and_cpuacct_are_not_cpu) {
  process_is_in("5:cpuset:/\n6:cpuacct:/\n",
                "33 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
                "34 31 0:31 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n");
  v1_group("/sys/fs/cgroup/cpuset", "100000\n", "100000\n");
  v1_group("/sys/fs/cgroup/cpuacct", "100000\n", "100000\n");
  EXPECT_EQ(cpus(), 0);
}

TEST_F(control_groups, hybrid_with_the_controller_in_v1) {
  process_is_in("5:cpu,cpuacct:/a\n0::/user.slice\n",
                v1_mount + "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  v1_group("/sys/fs/cgroup/cpu,cpuacct/a", "100000\n", "100000\n");
  root.write("/sys/fs/cgroup/unified/user.slice/cgroup.procs", "1\n");
  EXPECT_DOUBLE_EQ(cpus(), 1);
}

TEST_F(control_groups, hybrid_with_the_controller_in_v2) {
  process_is_in("3:memory:/\n0::/a\n",
                "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  root.write("/sys/fs/cgroup/unified/a/cpu.max", "100000 200000\n");
  EXPECT_DOUBLE_EQ(cpus(), 0.5);
}

TEST_F(control_groups, blanks_and_colons_in_paths) {
  process_is_in("0::/my app:1\n", "29 23 0:26 / /sys/fs/c\\040group rw - cgroup2 none rw\n");
  root.write("/sys/fs/c group/my app:1/cpu.max", "100000 100000\n");
  EXPECT_DOUBLE_EQ(cpus(), 1);
}

TEST_F(control_groups, malformed_limits_are_ignored) {
  for (const char* text :
       {"", "\n", "max\n", "100000\n", "100000 0\n", "0 100000\n", "-5 100000\n", "1e5 100000\n",
        "99999999999999999999999 100000\n", "100000 100000 100000\n", "abc def\n", "\xff\xfe\n"}) {
    process_is_in("0::/app\n", v2_mount);
    root.write("/sys/fs/cgroup/app/cpu.max", text);
    root.write("/sys/fs/cgroup/cpu.max", "700000 100000\n");
    EXPECT_DOUBLE_EQ(cpus(), 7) << text;
  }
  process_is_in("5:cpu,cpuacct:/\n", v1_mount);
  v1_group("/sys/fs/cgroup/cpu,cpuacct", "100000\n", "none\n");
  EXPECT_EQ(cpus(), 0);
}

TEST_F(control_groups, malformed_lists_are_ignored) {
  for (const char* groups : {"", "0", "0:", "0::", ":::", "cpu:/a\n", "0::relative/../..\n"}) {
    for (const char* mounts : {"", " - ", "- cgroup2\n", "1 2 3 - cgroup2 a b\n",
                               "29 23 0:26 / /x\\04 rw - cgroup2\n", "a b c d e - cgroup2 x y\n"}) {
      process_is_in(groups, mounts);
      EXPECT_EQ(cpus(), 0) << groups << " | " << mounts;
    }
  }
}

TEST(thread_counts, a_quota_is_rounded_up) {
  EXPECT_EQ(thread_count_for(8, cpu_quota{0.5, "f"}).value, 1U);
  EXPECT_EQ(thread_count_for(8, cpu_quota{1.0, "f"}).value, 1U);
  EXPECT_EQ(thread_count_for(8, cpu_quota{1.5, "f"}).value, 2U);
  EXPECT_EQ(thread_count_for(8, cpu_quota{7.01, "f"}).value, 8U);
}

TEST(thread_counts, the_mask_bounds_the_quota) {
  EXPECT_EQ(thread_count_for(2, cpu_quota{1e18, "f"}).value, 2U);
  EXPECT_EQ(thread_count_for(2, std::nullopt).value, 2U);
  EXPECT_EQ(thread_count_for(0, std::nullopt).value, 1U);
  EXPECT_EQ(thread_count_for(0, cpu_quota{4, "f"}).value, 1U);
}

TEST(thread_counts, the_reason_names_what_decided) {
  EXPECT_EQ(thread_count_for(4, std::nullopt).why, "4 CPUs in the affinity mask, no CPU quota");
  EXPECT_EQ(thread_count_for(4, cpu_quota{1.5, "/x/cpu.max"}).why,
            "CPU quota of 1.50 in /x/cpu.max, rounded up; 4 CPUs in the affinity mask");
  EXPECT_EQ(thread_count_for(1, cpu_quota{1.5, "/x/cpu.max"}).why,
            "1 CPU in the affinity mask; CPU quota of 1.50 in /x/cpu.max allows them");
}

TEST_F(control_groups, the_default_thread_count_obeys_the_quota) {
  process_is_in("0::/app\n", v2_mount);
  root.write("/sys/fs/cgroup/app/cpu.max", "50000 100000\n");
  EXPECT_EQ(default_thread_count(root.path()).value, 1U);
}

// Runs `check` on a thread bound to one CPU, which leaves this one's mask alone.
template <class Check>
void on_one_cpu(int cpu, Check check) {
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    check();
  }).join();
}

TEST(this_machine, the_affinity_mask_is_honoured) {
  const std::vector<int> all = allowed_cpus();
  ASSERT_FALSE(all.empty());
  EXPECT_TRUE(std::ranges::is_sorted(all));
  for (const int cpu : {all.front(), all[all.size() > 1 ? 1 : 0]}) {
    on_one_cpu(cpu, [cpu] {
      EXPECT_EQ(allowed_cpus(), std::vector<int>{cpu});
      EXPECT_EQ(pin_order(), std::vector<int>{cpu});
      EXPECT_EQ(default_thread_count().value, 1U);
    });
  }
}

using cpus = std::vector<int>;

TEST(pinning, cores_come_first_then_their_second_threads) {
  const hwloc_tree tree("package:2 core:2 pu:2");
  EXPECT_EQ(pin_order_on(tree, {0, 1, 2, 3, 4, 5, 6, 7}), (cpus{0, 2, 4, 6, 1, 3, 5, 7}));
}

TEST(pinning, neighbours_stay_together_whatever_their_numbers) {
  // CPU numbers that alternate between the packages, second threads last.
  const hwloc_tree tree("package:2 core:2 pu:2(indexes=0,4,2,6,1,5,3,7)");
  EXPECT_EQ(pin_order_on(tree, {0, 1, 2, 3, 4, 5, 6, 7}), (cpus{0, 2, 1, 3, 4, 6, 5, 7}));
}

TEST(pinning, only_allowed_cpus_are_used) {
  const hwloc_tree tree("package:2 core:2 pu:2");
  EXPECT_EQ(pin_order_on(tree, {1, 2, 3}), (cpus{1, 2, 3}));
  EXPECT_EQ(pin_order_on(tree, {1, 4, 5, 7}), (cpus{1, 4, 7, 5}));
  EXPECT_EQ(pin_order_on(tree, {}), cpus{});
}

TEST(pinning, a_cpu_that_hwloc_does_not_know_is_last) {
  EXPECT_EQ(pin_order_on(hwloc_tree("pu:2"), {1, 5}), (cpus{1, 5}));
  EXPECT_EQ(pin_order_on(hwloc_tree("not a machine"), {0, 3}), (cpus{0, 3}));
}

// Where domains begin, on a machine of hwloc's synthetic language of which all CPUs are
// allowed.
using starts = std::vector<std::uint32_t>;
starts starts_on(const char* machine, std::uint32_t workers) {
  const hwloc_tree tree(machine);
  cpus all;
  for (const hwloc_obj_t unit : tree.all(HWLOC_OBJ_PU)) {
    all.push_back(static_cast<int>(unit->os_index));
  }
  return starts_of(domains_on(tree, pin_order_on(tree, all)), workers);
}

TEST(domains, packages_are_domains_where_memory_is_one) {
  EXPECT_EQ(starts_on("package:4 core:12 pu:1", 48), (starts{0, 12, 24, 36}));
  EXPECT_EQ(starts_on("package:2 core:20 pu:1", 40), (starts{0, 20}));
  EXPECT_EQ(starts_on("package:1 core:8 pu:1", 8), starts{0});
  EXPECT_EQ(starts_on("pu:1", 1), starts{0});
}

TEST(domains, nodes_of_memory_come_before_packages) {
  EXPECT_EQ(starts_on("package:2 [numa] core:3 pu:1", 6), (starts{0, 3}));
  EXPECT_EQ(starts_on("package:2 group:2 [numa] core:3 pu:1", 12), (starts{0, 3, 6, 9}));
  EXPECT_EQ(starts_on("numa:2 package:2 core:3 pu:1", 12), (starts{0, 6}));
}

TEST(domains, only_those_of_the_workers_there_are_begin) {
  EXPECT_EQ(starts_on("package:4 core:12 pu:1", 30), (starts{0, 12, 24}));
  EXPECT_EQ(starts_on("package:4 core:12 pu:1", 24), (starts{0, 12}));
  EXPECT_EQ(starts_on("package:4 core:12 pu:1", 0), starts{});
}

// Second threads of the cores come last, and more workers than CPUs begin again.
TEST(domains, a_domain_that_comes_again_begins_again) {
  EXPECT_EQ(starts_on("package:2 core:4 pu:2", 16), (starts{0, 4, 8, 12}));
  EXPECT_EQ(starts_on("package:2 core:4 pu:1", 20), (starts{0, 4, 8, 12, 16}));
  EXPECT_EQ(starts_on("package:1 core:4 pu:2", 20), starts{0});
}

TEST(domains, follow_the_cpus_that_are_allowed) {
  const hwloc_tree tree("package:2 core:4 pu:1");
  EXPECT_EQ(starts_of(domains_on(tree, cpus{3, 4, 5, 6}), 4), (starts{0, 1}));
  EXPECT_EQ(starts_of(domains_on(tree, cpus{4, 5}), 2), starts{0});
  EXPECT_EQ(starts_of(domains_on(tree, cpus{0, 99, 4}), 3), (starts{0, 2})) << "99 is unknown";
  EXPECT_EQ(starts_of(domains_on(hwloc_tree("not a machine"), cpus{0, 1}), 2), starts{0});
}

TEST(domains, may_be_given_as_counts_of_workers) {
  EXPECT_EQ(starts_of(*domains_from_counts("4,4"), 8), (starts{0, 4}));
  EXPECT_EQ(starts_of(*domains_from_counts("1,2,3"), 6), (starts{0, 1, 3}));
  EXPECT_EQ(starts_of(*domains_from_counts("1,2"), 5), (starts{0, 1, 3, 4}));
  EXPECT_EQ(starts_of(*domains_from_counts("1024"), 3), starts{0});
  for (const char* text : {"", "0", "4,", ",4", "4,,4", "4 4", "-1", "x", "1024,1", "4,0"}) {
    EXPECT_FALSE(domains_from_counts(text)) << text;
  }
}

TEST(domains, one_node_is_known_without_hwloc) {
  const auto one = [](const char* file, const char* nodes) {
    const tests::temp_folder root;
    root.write(std::string("/sys/devices/system/node/") + file, nodes);
    return has_one_domain(root.path());
  };
  EXPECT_TRUE(one("has_cpu", "0\n"));
  EXPECT_FALSE(one("has_cpu", "0-1\n"));
  EXPECT_FALSE(one("has_cpu", "0,8\n"));
  EXPECT_TRUE(one("online", "0\n")) << "a kernel without has_cpu";
  EXPECT_FALSE(one("online", "0-3\n"));
  EXPECT_TRUE(one("other", "")) << "a kernel without nodes";
}

TEST(domains, nodes_with_memory_alone_do_not_count) {
  const tests::temp_folder root;
  root.write("/sys/devices/system/node/online", "0-1\n");
  root.write("/sys/devices/system/node/has_cpu", "0\n");
  EXPECT_TRUE(has_one_domain(root.path()));
}

TEST(this_machine, has_a_domain_that_begins_with_worker_0) {
  const starts found = domain_starts(64);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front(), 0U);
  EXPECT_TRUE(std::ranges::is_sorted(found));
  EXPECT_LT(found.back(), 64U);
}

TEST(this_machine, pin_order_is_every_allowed_cpu_once) {
  std::vector<int> order = pin_order();
  std::ranges::sort(order);
  EXPECT_EQ(order, allowed_cpus());
}

// Why default_thread_count() needs no hwloc: the mask has only CPUs it knows.
TEST(this_machine, hwloc_knows_every_allowed_cpu) {
  const machine m = describe_machine();
  EXPECT_GE(m.processing_units, allowed_cpus().size());
  EXPECT_LE(m.cores, m.processing_units);
  EXPECT_GE(m.numa_domains, 1U);
  EXPECT_EQ(m.hwloc_version.substr(0, 2), "2.");
  for (const cache& c : m.caches) {
    EXPECT_GE(c.count, 1U);
    EXPECT_LE(c.count * c.shared_by, m.processing_units);
  }
}

TEST(this_machine, loading_hwloc_leaves_the_callers_mask_alone) {
  const std::vector<int> before = allowed_cpus();
  describe_machine();
  EXPECT_EQ(allowed_cpus(), before);
}

}  // namespace
}  // namespace doall::topology
