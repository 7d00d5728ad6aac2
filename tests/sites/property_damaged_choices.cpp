// Choices from a file that is damaged: read, or refused with words.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "sites/choice_file.hpp"
#include "support/damage.hpp"
#include "support/seeds.hpp"

namespace doall::team {
namespace {

TEST(DamagedChoices, AreReadOrRefused) {
  kept_choices all{2, {}};
  all.sites.push_back({"/folder/app", 4'660, "a.cpp", 7, 0.1, 612.5, 1, {}});
  all.sites.back().cuts.push_back({"auto", 3, {1, ~std::uint64_t{0}}});
  all.sites.push_back({"/folder/other", 16, "", 0, 3, 612.5, 0, {}});
  const std::string valid = choices_text(all);
  tests::for_each_case(5'000, [&](base::rng& random) {
    const std::string text = tests::damaged(valid, random);
    try {
      read_choices(text);
    } catch (const std::runtime_error& e) {
      EXPECT_STRNE(e.what(), "");
    }
  });
}

}  // namespace
}  // namespace doall::team
