// LBS's and hybrid's programs have the serial answer under oneTBB's partitioners: LBS's with any
// grain, hybrid's with their own.
#include <gtest/gtest.h>
#include <tbb/partitioner.h>

#include "kernels/harness.hpp"
#include "kernels/programs.hpp"
#include "lanes/tbb.hpp"

namespace doall::bench {
namespace {

template <class Partitioner>
void expect_serial_nests() {
  std::size_t grain = 1;
  const auto door = [&grain](auto& k) { run(k, tbb_loops<Partitioner>{grain}); };
  for (const program& p : nested_programs(door)) {
    harness h(p, size::small, nested_warm_up(door));
    for (grain = 1; grain <= 256; grain *= 16) {
      EXPECT_NO_THROW(h.check(way::parallel)) << p.name << ' ' << grain;
    }
  }
}

TEST(NestedTbb, SimplePartitioner) { expect_serial_nests<tbb::simple_partitioner>(); }
TEST(NestedTbb, AutoPartitioner) { expect_serial_nests<tbb::auto_partitioner>(); }
TEST(NestedTbb, AffinityPartitioner) { expect_serial_nests<tbb::affinity_partitioner>(); }

template <class Partitioner>
void expect_serial_hybrids() {
  const auto door = [](auto& k) {
    run(k, tbb_loops<Partitioner>{k.chunk(tbb_loops<Partitioner>::workers())});
  };
  for (const program& p : hybrid_programs(door)) {
    if (!p.name.ends_with("-S")) continue;  // the other letters are the same at this size
    harness h(p, size::small, p);
    EXPECT_NO_THROW(h.check(way::parallel)) << p.name;
  }
}

TEST(HybridTbb, StaticPartitioner) { expect_serial_hybrids<tbb::static_partitioner>(); }
TEST(HybridTbb, AutoPartitioner) { expect_serial_hybrids<tbb::auto_partitioner>(); }
TEST(HybridTbb, AffinityPartitioner) { expect_serial_hybrids<tbb::affinity_partitioner>(); }

}  // namespace
}  // namespace doall::bench
