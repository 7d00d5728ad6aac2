// LBS's programs (Tzannes et al., section 5) by the shipped splitting schedules, on the model of
// XMT: Tables 2 and 4, Figures 5 to 9.
//
// The hardware deals the iterations of the outermost loops, one at a time, under every schedule;
// loops inside them are split and stolen. The figures are graphs; the text has their means, of time
// saved: 1 - 1/ratio at the geometric mean (papers/experiments/nests.md says why), and who is
// ahead. LBS is the paper's own here, which splits the innermost loop.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "driver/experiment.hpp"
#include "experiments/paper.hpp"
#include "experiments/paper_lbs_runs.hpp"
#include "kernels/breadth_first.hpp"
#include "kernels/floyd_warshall.hpp"
#include "kernels/spmv.hpp"

// The plugin's report (papers/CMakeLists.txt).
extern "C" {
[[gnu::weak]] extern const char lbs_grains_begin[] asm("_binary_lbs_grains_json_start");
[[gnu::weak]] extern const char lbs_grains_end[] asm("_binary_lbs_grains_json_end");
}

namespace doall::bench {
namespace {

using namespace lbs_virtual;

// --- Rows.

// A mean of time saved, as the ratio of times that it is.
paper_row mean(const char* where, const char* ours, const char* other, double percent) {
  return make_row(
      where, fmt::format("{} over {}: times (printed: {} % saved), mean", other, ours, percent),
      printed_kind::gain, 1 / (1 - percent / 100), mean_ratio(other, ours),
      "prices of operations are not printed: one is fitted for all");
}

constexpr const char* other_ahead = "the model has the other one ahead";

paper_row order(const char* where, const char* program, const char* first, const char* second) {
  return make_row(where, fmt::format("{}: {} before {}", program, first, second),
                  printed_kind::order, 1, all_runs().at(program).ratio(first, second), other_ahead);
}

// The first takes no more time than the second.
paper_row bound(const char* where, const char* program, const char* first, const char* second) {
  return make_row(where, fmt::format("{}: {} over {}, at most", program, first, second),
                  printed_kind::bound, 1, all_runs().at(program).ratio(first, second), other_ahead);
}

// "only falls behind on tsp (by 2.2 %)"
void add_behind_only_on_tsp(const char* where, const char* other, std::vector<paper_row>& rows) {
  constexpr double behind_on_tsp = 1.022;
  for (const printed_program& p : printed) {
    if (std::string_view(p.paper_name) == "tsp") {
      rows.push_back(
          make_row(where, fmt::format("tsp: {} over {}", lbs, other), printed_kind::gain,
                   behind_on_tsp, all_runs().at("tsp").ratio(lbs, other),
                   "LBS is ahead here: what its checks cost beside an iteration of tsp is "
                   "not printed"));
    } else {
      rows.push_back(bound(where, p.paper_name, lbs, other));
    }
  }
}

// What the plugin found of the programs in OpenMP C (tests/plugin/lbs.c), in that file's order.
// Empty: the build has no plugin.
std::vector<double> compilers_ppts() {
  if (lbs_grains_begin == nullptr) return {};
  std::vector<double> all;
  for (const auto& loop : nlohmann::json::parse(lbs_grains_begin, lbs_grains_end)) {
    all.push_back(loop.value("grain", 0.0));
  }
  return all;
}

void add_ppts(std::vector<paper_row>& rows) {
  constexpr const char* programs[] = {"matmult", "conv", "FW",  "qs",
                                      "bfs",     "SpMV", "tsp", "queens"};
  const std::vector<double> ours = compilers_ppts();
  for (std::size_t i = 0; i < std::size(programs); ++i) {
    const auto* const p = std::ranges::find(printed, std::string_view(programs[i]),
                                            [](const auto& one) { return one.paper_name; });
    rows.push_back(make_row("Table 2", fmt::format("{}: LBS's ppt, by the compiler", programs[i]),
                            printed_kind::factor, p->ppt, i < ours.size() ? ours[i] : 0,
                            ours.empty()
                                ? "this build has no compiler plugin"
                                : "the plugin counts other cycles than the authors' compiler"));
  }
  // What an iteration takes in these tables and figures is chosen by the same column.
  const auto add_fit = [&](const char* name, double printed_ppt, double cycles) {
    constexpr double worth = 1000;
    rows.push_back(fit(make_row("Table 2", fmt::format("{}: iterations in 1,000 cycles", name),
                                printed_kind::value, printed_ppt, worth / cycles,
                                "an iteration takes a whole number of cycles"),
                       "an iteration's cycles, 1,000 / ppt: this cell"));
  };
  add_fit("FW", 91, floyd_warshall::pair_cycles);
  add_fit("bfs", 53, breadth_first::edge_cycles);
  add_fit("SpMV", 77, spmv::nonzero_cycles);
}

std::vector<paper_row> table_2() {
  std::vector<paper_row> rows;
  add_ppts(rows);
  for (const printed_program& p : printed) {
    const of_program& ours = all_runs().at(p.paper_name);
    const bool is_qs = std::string_view(p.paper_name) == "qs";
    const auto add = [&](const char* set, double sst, double found) {
      rows.push_back(make_row(
          "Table 2", fmt::format("{}: SP's sst, tuned on the {} set", p.paper_name, set),
          printed_kind::factor, sst, found,
          is_qs ? "one worker has few parallel partitions: they do not show in its time"
                : "TBB's manual says 5 to 10 % are good, 7.5 here: the authors' are one or two "
                  "halvings further"));
    };
    add("training", p.trained, ours.trained);
    add("execution", p.ideal, ours.ideal);
  }
  return rows;
}

// Speed-ups of all programs, and their arithmetic mean.
std::vector<paper_row> speed_ups(const char* where, const char* over, const char* why,
                                 double printed_program::* column,
                                 double (*ours)(const of_program&)) {
  std::vector<paper_row> rows;
  paper_row mean = make_row(where, fmt::format("mean: speed-up of LBS+ over {}", over),
                            printed_kind::gain, 0, 0, why);
  constexpr double programs = std::size(printed);
  for (const printed_program& p : printed) {
    paper_row row = mean;
    row.what = fmt::format("{}: speed-up of LBS+ over {}", p.paper_name, over);
    row.printed = p.*column;
    row.ours = ours(all_runs().at(p.paper_name));
    mean.printed += row.printed / programs;
    mean.ours += row.ours / programs;
    rows.push_back(row);
  }
  rows.push_back(mean);
  return rows;
}

std::vector<paper_row> table_4() {
  return speed_ups("Table 4", "the same on one processor",
                   "what 64 processors lose on the shared memory modules is not in the model",
                   &printed_program::speed_up,
                   [](const of_program& p) { return p.ratio(one_tcu, lbs_plus); });
}

std::vector<paper_row> table_5() {
  return speed_ups("Table 5", "the serial program",
                   "it ran on the master processor, stronger and with a cache: not modelled",
                   &printed_program::over_serial,
                   [](const of_program& p) { return p.work / p.makespans.at(lbs_plus); });
}

std::vector<paper_row> figure_5() {
  constexpr const char* where = "Figure 5";
  std::vector<paper_row> rows{
      fit(mean(where, lbs, ap_default, 38.9), "xmt.json's price of a transaction: this cell"),
      mean(where, lbs, ap_xmt, 16.2)};
  for (const char* fine : {"FW", "bfs", "SpMV"}) {
    rows.push_back(order(where, fine, lbs, ap_default));
    rows.push_back(order(where, fine, lbs, ap_xmt));
  }
  return rows;
}

std::vector<paper_row> figure_6() {
  constexpr const char* where = "Figure 6";
  std::vector<paper_row> rows{mean(where, lbs, sp_trained, 19.5)};
  add_behind_only_on_tsp(where, sp_trained, rows);
  double most = 0;
  for (const printed_program& p : printed) {
    most = std::max(most, all_runs().at(p.paper_name).ratio(sp_trained, lbs));
  }
  constexpr double percent = 65.7;
  rows.push_back(make_row(where, "SP_tr/ex over LBS: times (printed: 65.7 % saved), the most",
                          printed_kind::gain, 1 / (1 - percent / 100), most,
                          "the print's largest is qs's or SpMV's, whose thresholds change 16 times "
                          "between the sets; qs's is 1 on both here"));
  return rows;
}

std::vector<paper_row> figure_7() {
  constexpr const char* where = "Figure 7";
  std::vector<paper_row> rows{mean(where, lbs, sp_ideal, 3.8)};
  add_behind_only_on_tsp(where, sp_ideal, rows);
  return rows;
}

std::vector<paper_row> figure_8() {
  constexpr const char* where = "Figure 8";
  std::vector<paper_row> rows{mean(where, lbs, sp_1, 56.7), mean(where, lbs, sws, 54.7),
                              mean(where, lbs_1, sp_1, 47.2)};
  for (const printed_program& p : printed) rows.push_back(bound(where, p.paper_name, sws, sp_1));
  return rows;
}

std::vector<paper_row> figure_9() {
  constexpr const char* where = "Figure 9";
  std::vector<paper_row> rows{mean(where, lbs_plus, si, 54.2)};
  for (const char* recursive : {"tsp", "queens", "qs"})
    rows.push_back(order(where, recursive, lbs_plus, si));
  for (const char* coarse : {"matmult", "conv"}) {
    rows.push_back(make_row(where, fmt::format("{}: {} over {}", coarse, lbs_plus, si),
                            printed_kind::alike, 1, all_runs().at(coarse).ratio(lbs_plus, si),
                            other_ahead));
  }
  for (const char* checked : {"bfs", "SpMV"}) rows.push_back(order(where, checked, si, lbs_plus));
  return rows;
}

// By program: a column's time over ours.
struct compared {
  const char* ours;
  std::vector<const char*> others;
};

picture bars(const char* where, const std::vector<compared>& all) {
  bar_panel panel{.title = "", .groups = {}, .bars = {}};
  for (const printed_program& p : printed) panel.groups.emplace_back(p.paper_name);
  for (const compared& c : all) {
    for (const char* other : c.others) {
      ratio_bars& made =
          panel.bars.emplace_back(ratio_bars{fmt::format("{} over {}", c.ours, other), {}});
      for (const printed_program& p : printed) {
        made.by_group.push_back(ratio{all_runs().at(p.paper_name).ratio(other, c.ours), {}});
      }
    }
  }
  return bar_chart{.title = where,
                   .y_label = "how many times faster the first is, 64 TCUs",
                   .one = "as fast",
                   .panels = {panel}};
}

picture bars_5() { return bars("Figure 5", {{lbs, {ap_default, ap_xmt}}}); }
picture bars_6() { return bars("Figure 6", {{lbs, {sp_trained}}}); }
picture bars_7() { return bars("Figure 7", {{lbs, {sp_ideal}}}); }
picture bars_8() { return bars("Figure 8", {{lbs, {sp_1, sws}}, {lbs_1, {sp_1}}}); }
picture bars_9() { return bars("Figure 9", {{lbs_plus, {si}}}); }

const paper_place places[] = {
    {"lbs", "Table 2", table_2},           {"lbs", "Table 4", table_4},
    {"lbs", "Table 5", table_5},           {"lbs", "Figure 5", figure_5, bars_5},
    {"lbs", "Figure 6", figure_6, bars_6}, {"lbs", "Figure 7", figure_7, bars_7},
    {"lbs", "Figure 8", figure_8, bars_8}, {"lbs", "Figure 9", figure_9, bars_9}};

}  // namespace
}  // namespace doall::bench
