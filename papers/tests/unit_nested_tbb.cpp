// LBS's programs have the serial answer under oneTBB's partitioners, with any grain.
#include <gtest/gtest.h>
#include <tbb/partitioner.h>

#include "kernels/harness.hpp"
#include "kernels/programs.hpp"
#include "lanes/tbb.hpp"

namespace doall::bench {
namespace {

template <class Partitioner>
void expect_serial_answers() {
  std::size_t grain = 1;
  const auto door = [&grain](auto& k) { run(k, tbb_loops<Partitioner>{grain}); };
  for (const program& p : nested_programs(door)) {
    harness h(p, size::small, nested_warm_up(door));
    for (grain = 1; grain <= 256; grain *= 16) {
      EXPECT_NO_THROW(h.check(way::parallel)) << p.name << ' ' << grain;
    }
  }
}

TEST(NestedTbb, SimplePartitioner) { expect_serial_answers<tbb::simple_partitioner>(); }
TEST(NestedTbb, AutoPartitioner) { expect_serial_answers<tbb::auto_partitioner>(); }
TEST(NestedTbb, AffinityPartitioner) { expect_serial_answers<tbb::affinity_partitioner>(); }

}  // namespace
}  // namespace doall::bench
