// hybrid's programs compute with oneTBB what they compute serially, under every partitioner.
#include <gtest/gtest.h>
#include <tbb/partitioner.h>

#include "kernels/harness.hpp"
#include "kernels/programs.hpp"
#include "lanes/tbb.hpp"

namespace doall::bench {
namespace {

template <class Partitioner>
class HybridTbb : public testing::Test {};

using partitioners =
    testing::Types<tbb::static_partitioner, tbb::auto_partitioner, tbb::affinity_partitioner>;
TYPED_TEST_SUITE(HybridTbb, partitioners);

TYPED_TEST(HybridTbb, ComputesTheSame) {
  const auto door = [](auto& kernel) {
    run(kernel, tbb_loops<TypeParam>{kernel.chunk(tbb_loops<TypeParam>::workers())});
  };
  for (const program& p : hybrid_programs(door)) {
    if (!p.name.ends_with("-S")) continue;  // the other letters are the same at this size
    harness checked(p, size::small, p);
    EXPECT_NO_THROW(checked.check(way::parallel)) << p.name;
  }
}

}  // namespace
}  // namespace doall::bench
