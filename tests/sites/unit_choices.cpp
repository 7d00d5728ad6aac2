// src/sites/choices, choice_file: choices that are frozen stay, and come back from a file.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "decide/decide.hpp"
#include "sites/choice_file.hpp"
#include "sites/small_loops.hpp"

namespace doall::team {
namespace {

TEST(FrozenChoice, StaysWhateverIsTimed) {
  loop_cost cost;
  while (!cost.settled()) cost.learn(1, 100);
  cost.freeze(2'000);
  EXPECT_TRUE(cost.is_frozen());
  EXPECT_FALSE(cost.is_loaded());
  for (int run = 0; run < 1'000; ++run) {
    EXPECT_FALSE(cost.timing_due());
    cost.learn(1, 1'000'000);
  }
  EXPECT_DOUBLE_EQ(cost.serial_ns(1), 100);
  EXPECT_DOUBLE_EQ(cost.burden_ns(), 2'000);
}

// Two workers, and a burden of 2 us: loops gain from 4 us on, and are balanced from 80 us on.
TEST(FrozenChoice, IsByItsOwnBurden) {
  loop_cost cost;
  cost.load(100, 2'000, 1);
  EXPECT_TRUE(cost.is_loaded());
  EXPECT_TRUE(cost.nests());
  const auto way_of = [&](std::uint64_t iterations) {
    return decide::decide({iterations, 2, cost.burden_ns(), decide::no_chance},
                          decide::known_cost(cost.serial_ns(1)))
        .how;
  };
  EXPECT_EQ(way_of(39), decide::way::alone);
  EXPECT_EQ(way_of(41), decide::way::in_blocks);
  EXPECT_EQ(way_of(799), decide::way::in_blocks);
  EXPECT_EQ(way_of(801), decide::way::balanced);
  EXPECT_EQ(way_of(0), decide::way::alone);
}

kept_choices some() {
  kept_choices all{2, {}};
  all.sites.push_back({"/folder/app", 4'660, "a.cpp", 7, 0.1, 612.5, 1, {}});
  all.sites.back().cuts.push_back({"auto", 3, {1, ~std::uint64_t{0}}});
  all.sites.back().cuts.push_back({"best-static", 2, {}});
  all.sites.push_back({"lib with blanks.so", ~std::uint64_t{0}, "", 0, 0, 0, 0, {}});
  return all;
}

TEST(ChoiceFile, IsReadAsItWasWritten) {
  const std::string text = choices_text(some());
  const kept_choices again = read_choices(text);
  EXPECT_EQ(choices_text(again), text);
  ASSERT_EQ(again.sites.size(), 2U);
  EXPECT_EQ(again.sites[0].iteration_ns, 0.1);
  EXPECT_EQ(again.sites[0].cuts[0].begins, (std::vector<std::uint64_t>{1, ~std::uint64_t{0}}));
  EXPECT_EQ(again.sites[1].module, "lib with blanks.so");
}

// Whichever byte it ends at.
TEST(ChoiceFile, ThatIsCutOffIsRefused) {
  const std::string text = choices_text(some());
  for (std::size_t size = 0; size + 1 < text.size(); ++size)
    EXPECT_THROW(read_choices(text.substr(0, size)), std::runtime_error) << size;
}

TEST(ChoiceFile, ThatSaysWhatCannotBeIsRefused) {
  const std::string head = "doall-choices 2\nthreads\t2\n";
  for (const char* wrong :
       {"doall-choices 1\nthreads\t2\nend\t0\n", "doall-choices 2\nthreads\t0\nend\t0\n"})
    EXPECT_THROW(read_choices(wrong), std::runtime_error) << wrong;
  for (const char* wrong : {"end\t1\n", "cuts\tauto\t2\t5\nend\t0\n", "what\nend\t0\n",
                            "site\ta\t1\tf\t1\t-1\t1\t0\nend\t1\n",
                            "site\ta\t1\tf\t1\t9221120237041090560\t1\t0\nend\t1\n",
                            "site\ta\t1\tf\t1\t1\t1\t3\nend\t1\n", "site\ta\t1\tf\nend\t1\n",
                            "site\ta\t1\tf\t1\t1\t1\t0\ncuts\tauto\t1\t\nend\t1\n",
                            "site\ta\t1\tf\t1\t1\t1\t0\ncuts\tauto\t3\t5\nend\t1\n",
                            "site\ta\t1\tf\t1\t1\t1\t0\ncuts\tauto\t3\t5 4\nend\t1\n",
                            "site\ta\t1\tf\t1\t1\t1\t0\ncuts\tauto\t2000\t\nend\t1\n"})
    EXPECT_THROW(read_choices(head + wrong), std::runtime_error) << wrong;
  EXPECT_NO_THROW(read_choices(head + "end\t0\n"));
}

}  // namespace
}  // namespace doall::team
