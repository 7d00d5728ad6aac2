// Which of the papers' predictions notice another schedule, for a table or a section of each paper
// that is quick; nothing is drawn from the clock, all seeds are fixed. bench_paper has the rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "experiments/paper_told.hpp"
#include "process/failure.hpp"
#include "schedule/registry.hpp"

namespace {

using namespace doall::bench;

std::vector<told_place> place_of(std::string_view paper, std::string_view where) {
  std::vector<told_place> found;
  std::ranges::copy_if(papers().at(paper), std::back_inserter(found),
                       [&](const told_place& p) { return p.where == where; });
  return found;
}

told_paper swapped(std::string_view paper, std::string_view where) {
  return tell_paper(paper, place_of(paper, where), true);
}

std::string weak_rows(const told_paper& told) {
  std::string text;
  for (const told_row& r : told.rows) {
    if (r.is_weak()) text += r.row.what + "\n";
  }
  return text;
}

// Of the reproduced predictions on the paper's own idea at least 80 % fall without it, and no more
// than so many of all are weak.
void expect_strong(const told_paper& told, std::size_t weak_most) {
  const tally all = tally_of(told);
  EXPECT_GT(all.on_idea, 0U);
  EXPECT_GE(all.fall_without_idea * 10, all.on_idea * 8) << weak_rows(told);
  EXPECT_LE(all.weak, weak_most) << weak_rows(told);
}

TEST(PaperSwaps, Afs) { expect_strong(swapped("afs", "Table 5"), 1); }
TEST(PaperSwaps, Lbs) { expect_strong(swapped("lbs", "Table 1"), 4); }
TEST(PaperSwaps, FineGrain) { expect_strong(swapped("fine-grain", "Table 1"), 1); }
TEST(PaperSwaps, Hybrid) { expect_strong(swapped("hybrid", "Figure 3"), 0); }

TEST(PaperSwaps, ARowSaysWhatItIs) {
  for (const auto& [paper, where] :
       {std::pair("afs", "Table 2"), std::pair("lbs", "Table 1"),
        std::pair("fine-grain", "Table 1"), std::pair("hybrid", "Figure 5")}) {
    for (const told_row& r : tell_paper(paper, place_of(paper, where), false).rows) {
      EXPECT_NE(std::string_view(to_text(r.row.is)), "");
      EXPECT_NE(std::string_view(tolerance_of(r.row.kind)), "");
      EXPECT_EQ(r.row.is == row_class::fit, !r.row.fitted.empty()) << r.row.what;
      EXPECT_FALSE(r.is_weak()) << "nothing was swapped";
    }
  }
}

// A tolerance is a kind's, and near 1 a gain must be there to be reproduced.
TEST(PaperSwaps, Tolerances) {
  const auto is_held = [](printed_kind kind, double printed, double ours) {
    return make_row("", "", kind, printed, ours, "").is_held();
  };
  EXPECT_TRUE(is_held(printed_kind::gain, 1.10, 1.06));
  EXPECT_FALSE(is_held(printed_kind::gain, 1.10, 1.0));
  EXPECT_FALSE(is_held(printed_kind::gain, 1.04, 1.0));
  EXPECT_FALSE(is_held(printed_kind::gain, 3, 3.6));
  EXPECT_TRUE(is_held(printed_kind::gain, 3, 3.4));
  EXPECT_FALSE(is_held(printed_kind::order, 1, 1 - 1e-6));
  EXPECT_TRUE(is_held(printed_kind::order, 1, 0.98));
  EXPECT_FALSE(is_held(printed_kind::bound, 1.022, 1.08));
}

// Any schedule may stand in for any: it runs, or it is refused with a reason.
TEST(PaperSwaps, AnyScheduleMayStandIn) {
  struct one {
    const char* paper;
    const char* where;
    const char* asked;
  };
  for (const auto& [paper, where, asked] :
       {one{"lbs", "Table 1", "lbs"}, one{"fine-grain", "Figure 10", "ebs-simple,1"},
        one{"fine-grain", "Figure 10", "static"}, one{"hybrid", "Section IV", "hybrid"},
        one{"afs", "Table 3", "guided,round=down"}}) {
    for (const doall::schedules::entry& e : doall::schedules::registry()) {
      SCOPED_TRACE(std::string(paper) + ": " + std::string(e.name) + " for " + asked);
      add_stand_in(std::string(asked) + ":" + std::string(e.name));
      try {
        EXPECT_FALSE(tell_paper(paper, place_of(paper, where), false).rows.empty());
      } catch (const doall::cli::failure& refused) {
        EXPECT_EQ(e.splits, nullptr);
        EXPECT_NE(std::string_view(refused.what()).find(e.name), std::string_view::npos)
            << refused.what();
      }
    }
    remove_stand_ins();
  }
}

}  // namespace
