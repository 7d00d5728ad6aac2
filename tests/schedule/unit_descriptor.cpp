// A schedule as programs have it (schedule/descriptor.hpp): it says what it was made from, also to
// a release that has more options, or fewer.

#include <gtest/gtest.h>

#include <string>

#include "schedule/descriptor.hpp"
#include "support/any_loop.hpp"
#include "support/seeds.hpp"

namespace doall::schedules {
namespace {

TEST(Descriptor, SaysWhatItWasMadeFrom) {
  tests::for_each_case(200, [](base::rng& random) {
    for (const entry& e : registry()) {
      const spec any = tests::any_spec(random, e, {1000, 8});
      EXPECT_EQ(read_descriptor(make_descriptor(any)), any) << to_text(any);
    }
  });
}

TEST(Descriptor, NamesNoneIfItIsZero) {
  EXPECT_EQ(read_descriptor(doall_schedule{}), spec{});
  EXPECT_EQ(make_descriptor(spec{}).which, 0U);
}

// Of a release that had fewer options the others are not given, whatever lies behind.
TEST(Descriptor, HasNoMoreOptionsThanItSays) {
  doall_schedule shorter = make_descriptor(parse("guided,4,k=2,order=reverse").value);
  shorter.count = 1;
  EXPECT_EQ(read_descriptor(shorter), parse("guided,4,order=reverse").value);
}

TEST(Descriptor, MayHaveMoreOptions) {
  struct {
    doall_schedule known = make_descriptor(parse("guided,4,k=2").value);
    u64 more[2] = {1, 2};
  } longer;
  longer.known.count += 2;
  EXPECT_EQ(read_descriptor(longer.known), parse("guided,4,k=2").value);
}

}  // namespace
}  // namespace doall::schedules
