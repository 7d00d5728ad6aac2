// COWS's figures by the shipped schedules, in virtual time (paper_cows_runs.hpp).
//
// Length: all figures' rows come of the same runs, which nobody else uses.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "driver/experiment.hpp"
#include "experiments/paper.hpp"
#include "experiments/paper_cows_runs.hpp"
#include "lanes/cows_recorded.hpp"

namespace doall::bench {
namespace {

using namespace cows_paper;
using rows = std::vector<paper_row>;

std::vector<printed_graph> graphs(bool roads) {
  std::vector<printed_graph> some;
  std::ranges::copy_if(printed_graphs(), std::back_inserter(some),
                       [&](const printed_graph& g) { return g.is_road == roads; });
  return some;
}

// How many times faster one is than the other, over power-law graphs and numbers of threads.
double mean_over(const site& at, kernel_name k, const std::string& other, const std::string& one) {
  std::vector<double> all;
  for (const printed_graph& g : graphs(false)) {
    for (const std::uint32_t p : at.threads) {
      all.push_back(found(at, k, g, other, p).makespan / found(at, k, g, one, p).makespan);
    }
  }
  return geometric_mean(all);
}

paper_row near(std::string where, std::string what, double printed, double ours) {
  return make_row(std::move(where), std::move(what), printed_kind::gain, printed, ours,
                  "what workers differ by is where the graph is, on the first socket, and shared "
                  "cores alone: on roads that is 15 to 20 % for lists, of which the print has "
                  "nothing; and orders of vertices are by chance");
}

// Why those who steal are so near each other.
constexpr const char* thieves_alike =
    "all who steal balance these loops here: WSR's thefts are three times as many as WSRW's, and "
    "take 0.1 % of the time; WSRI's shorter reservations take 0.8 % (5 % of LE on small graphs). "
    "How long their lock of all keeps thieves, and whose locks lie side by side, is not stated";
constexpr const char* over_dynamic =
    "a line that all want takes its latency each time here, 120 cycles on a socket and 200 on two: "
    "at all threads the print has a half to a seventh of that. CC's 0.7, where dynamic is ahead, "
    "is "
    "laid to the order of Orkut's vertices, which is by chance here";

// --- Figures 13 to 17.

struct range {
  double least;
  double most;
};

struct speed_ups {
  int figure;
  kernel_name kernel;
  range over_dynamic[2][2];  // by site; WSRW, WSRI
  double over_cyclic[2][2];  // WSRW, WSRI; by site
};

const speed_ups printed_speed_ups[] = {
    {13,
     kernel_name::kc,
     {{{2.47, 10.741}, {2.479, 10.66}}, {{1.538, 8.899}, {1.529, 8.522}}},
     {{1.03, 1.10}, {1.03, 1.10}}},
    {14,
     kernel_name::le,
     {{{1.115, 6.171}, {1.1, 4.265}}, {{1.048, 5.443}, {0.998, 3.761}}},
     {{1.13, 1.18}, {1.01, 1.05}}},
    {15,
     kernel_name::bfs,
     {{{1.17, 9.98}, {1.17, 9.98}}, {{1.233, 17.352}, {1.233, 17.352}}},
     {{0.95, 1.09}, {0.95, 1.09}}},
    {16,
     kernel_name::pr,
     {{{1.085, 8.103}, {1.062, 6.218}}, {{1.006, 6.024}, {0.98, 5.364}}},
     {{1.15, 1.16}, {1.03, 1.10}}},
    {17,
     kernel_name::cc,
     {{{0.711, 2.952}, {0.718, 2.87}}, {{0.703, 3.279}, {0.671, 2.867}}},
     {{1.06, 1.12}, {1.03, 1.08}}}};

struct cows_schedule {
  const char* name;
  const char* schedule;
};
constexpr cows_schedule stealing[] = {{"WSRW", wsrw}, {"WSRI", wsri}};
constexpr cows_schedule in_order[] = {
    {"WSRW", wsrw},       {"WSRI", wsri},       {"cyclic", "cyclic"},  {"WSR", wsr},
    {"guided", "guided"}, {"static", "static"}, {"dynamic", "dynamic"}};

void add_ranges(rows& to, const std::string& where, const speed_ups& f, std::size_t at) {
  for (std::size_t s = 0; s < std::size(stealing); ++s) {
    range ours{INFINITY, 0};
    for (const printed_graph& g : graphs(false)) {
      for (const std::uint32_t p : sites()[at].threads) {
        const double one = found(sites()[at], f.kernel, g, "dynamic", p).makespan /
                           found(sites()[at], f.kernel, g, stealing[s].schedule, p).makespan;
        ours = {std::min(ours.least, one), std::max(ours.most, one)};
      }
    }
    const auto add = [&](const char* end, double printed, double found_here) {
      to.push_back(make_row(where,
                            fmt::format("{}, {}: {} over dynamic, {}", text(f.kernel),
                                        sites()[at].name, stealing[s].name, end),
                            printed_kind::gain, printed, found_here, over_dynamic));
    };
    add("least", f.over_dynamic[at][s].least, ours.least);
    add("most", f.over_dynamic[at][s].most, ours.most);
  }
}

void add_order(rows& to, const std::string& where, kernel_name k, const cows_schedule& ahead,
               const cows_schedule& behind) {
  to.push_back(make_row(
      where, fmt::format("{}: {} before {}", text(k), ahead.name, behind.name), printed_kind::order,
      1, 1 / mean_over(sites()[0], k, behind.schedule, ahead.schedule), thieves_alike));
}

template <std::size_t Figure>
rows speed_up_figure() {
  const speed_ups& f = printed_speed_ups[Figure];
  const std::string where = fmt::format("Figure {}", f.figure);
  rows to;
  for (std::size_t at = 0; at < sites().size(); ++at) {
    for (std::size_t s = 0; s < std::size(stealing); ++s) {
      to.push_back(near(
          where,
          fmt::format("{}, {}: {} over cyclic", text(f.kernel), sites()[at].name, stealing[s].name),
          f.over_cyclic[s][at], mean_over(sites()[at], f.kernel, "cyclic", stealing[s].schedule)));
    }
    add_ranges(to, where, f, at);
  }
  if (f.kernel == kernel_name::kc) add_order(to, where, f.kernel, in_order[2], in_order[3]);
  if (f.kernel == kernel_name::le) {
    for (std::size_t k = 1; k < std::size(in_order); ++k) {
      add_order(to, where, f.kernel, in_order[k - 1], in_order[k]);
    }
  }
  return to;
}

// --- What is over all kernels.

rows summary() {
  rows to;
  const std::string where = "Section VI-A";
  constexpr double printed[] = {1.10, 1.05};
  for (std::size_t s = 0; s < std::size(stealing); ++s) {
    std::vector<double> cells;
    std::vector<double> ours;
    for (const speed_ups& f : printed_speed_ups) {
      for (std::size_t at = 0; at < sites().size(); ++at) {
        cells.push_back(f.over_cyclic[s][at]);
        ours.push_back(mean_over(sites()[at], f.kernel, "cyclic", stealing[s].schedule));
      }
    }
    to.push_back(near(where, fmt::format("{} over cyclic, mean of all", stealing[s].name),
                      printed[s], geometric_mean(ours)));
    to.push_back(arithmetic(make_row(
        where, fmt::format("{} over cyclic, mean of its ten cells", stealing[s].name),
        printed_kind::sum, printed[s], geometric_mean(cells), "its own cells give another mean")));
  }
  // What COWS is for: who knows more of what is left is faster.
  const auto add = [&](const cows_schedule& ahead, const cows_schedule& behind) {
    std::vector<double> ours;
    for (const kernel_name k : kernels) {
      for (const site& at : sites()) {
        ours.push_back(1 / mean_over(at, k, behind.schedule, ahead.schedule));
      }
    }
    to.push_back(make_row(where, fmt::format("mean of all: {} before {}", ahead.name, behind.name),
                          printed_kind::order, 1, geometric_mean(ours), thieves_alike));
  };
  add(in_order[0], in_order[1]);
  add(in_order[1], in_order[3]);
  return to;
}

// VI announces "reduction in the number of steals", and prints none: fewest for WSRW.
rows steals() {
  rows to;
  constexpr std::uint32_t threads = 32;
  for (const kernel_name k : kernels) {
    if (k == kernel_name::bfs || k == kernel_name::kc) continue;  // WSRW is WSRI there
    const auto all = [&](const char* schedule) {
      double sum = 0;
      for (const printed_graph& g : graphs(false))
        sum += found(sites()[0], k, g, schedule, threads).costed_steals;
      return sum;
    };
    for (const char* other : {wsri, wsr}) {
      to.push_back(
          make_row("Section VI",
                   fmt::format("{}, P = {}: WSRW steals less than {}", text(k), threads, other),
                   printed_kind::order, 1, all(wsrw) / all(other), "thefts in costed loops"));
    }
  }
  return to;
}

rows figure_11() {
  rows to;
  for (const printed_graph& g : printed_graphs()) {
    const ordered_graph& made = *scaled_down(g);
    std::uint32_t least = UINT32_MAX;
    std::uint32_t largest = 0;
    for (vertex v = 0; v < made.vertices(); ++v) {
      least = std::min(least, made.degree(v));
      largest = std::max(largest, made.degree(v));
    }
    const double edges = static_cast<double>(made.directed_edges()) / 2;
    const auto add = [&](const char* what, double printed, double ours, const char* why) {
      to.push_back(input(make_row("Figure 11", fmt::format("{}, scaled down: {}", g.name, what),
                                  printed_kind::value, printed, ours, why)));
    };
    add("edges a vertex", g.edges / g.vertices, edges / static_cast<double>(made.vertices()),
        "repeated edges count once");
    add("least degree", g.least_degree, least, "of so few vertices none has fewer neighbours");
    if (g.is_road) {
      add("largest degree", g.largest_degree, largest, "a lattice has 4");
    } else {
      add("largest degree over edges", g.largest_degree / g.edges, largest / edges,
          "of so few vertices the first one has more");
    }
  }
  return to;
}

rows figure_12() {
  struct printed {
    kernel_name kernel;
    double of_source;
    std::array<double, 5> run;  // by graph
  };
  constexpr printed all[] = {{kernel_name::kc, 6, {28, 28, 28, 28, 28}},
                             {kernel_name::le, 3, {34, 30, 16, 1288, 1044}},
                             {kernel_name::bfs, 2, {15, 15, 9, 556, 543}},
                             {kernel_name::pr, 2, {30, 26, 52, 44, 44}},
                             {kernel_name::cc, 3, {7, 9, 4, 243, 249}}};
  rows to;
  for (const printed& one : all) {
    std::set<std::string> source;
    for (std::size_t g = 0; g < one.run.size(); ++g) {
      const loop_recorder& loops = recorded(one.kernel, printed_graphs()[g]);
      for (const recorded_loop& loop : loops.take()) source.insert(loop.site);
      const bool is_exact = one.kernel == kernel_name::kc;
      to.push_back(input(make_row(
          "Figure 12",
          fmt::format("{} on {}: loops a run", text(one.kernel), printed_graphs()[g].name),
          is_exact ? printed_kind::count : printed_kind::value, one.run[g],
          static_cast<double>(loops.executions()), "a smaller graph is crossed in fewer rounds")));
    }
    to.push_back(input(make_row(
        "Figure 12", fmt::format("{}: loops of the source", text(one.kernel)), printed_kind::count,
        one.of_source, static_cast<double>(source.size()), "the kernel has other loops")));
  }
  return to;
}

rows figure_18() {
  struct printed {
    kernel_name kernel;
    double by[2];  // WSRW, WSRI
  };
  constexpr printed all[] = {{kernel_name::kc, {1.07, 0.97}},
                             {kernel_name::le, {1.34, 0.9}},
                             {kernel_name::bfs, {0.96, 0.96}},
                             {kernel_name::pr, {1.17, 0.92}},
                             {kernel_name::cc, {1, 0.90}}};
  rows to;
  for (const printed& one : all) {
    for (std::size_t s = 0; s < std::size(stealing); ++s) {
      std::vector<double> ours;
      for (const printed_graph& g : graphs(true)) {
        for (const site& at : sites()) {
          ours.push_back(found(at, one.kernel, g, "cyclic", at.most).makespan /
                         found(at, one.kernel, g, stealing[s].schedule, at.most).makespan);
        }
      }
      to.push_back(
          near("Figure 18",
               fmt::format("{} on roads: {} over cyclic", text(one.kernel), stealing[s].name),
               one.by[s], geometric_mean(ours)));
    }
  }
  return to;
}

rows figure_19() {
  constexpr range printed[] = {{1.06, 1.41}, {1.14, 3.1}};
  rows to;
  for (std::size_t at = 0; at < sites().size(); ++at) {
    range ours{INFINITY, 0};
    for (const kernel_name k : kernels) {
      std::vector<double> gains;
      for (const printed_graph& g : printed_graphs()) {
        gains.push_back(unoptimised(sites()[at], k, g) /
                        found(sites()[at], k, g, wsrw, sites()[at].most).makespan);
      }
      const double mean = geometric_mean(gains);
      ours = {std::min(ours.least, mean), std::max(ours.most, mean)};
    }
    const auto add = [&](const char* end, double asked, double found_here) {
      to.push_back(
          make_row("Figure 19",
                   fmt::format("{}: with optimisations over without, {} of the kernels",
                               sites()[at].name, end),
                   printed_kind::gain, asked, found_here,
                   "an estimate takes a look at a vertex here, and a walk two cycles a step: for "
                   "3.1 they would have to take twice the loops' own time"));
    };
    add("least", printed[at].least, ours.least);
    add("most", printed[at].most, ours.most);
  }
  return to;
}

// --- What is drawn.

template <std::size_t Figure>
picture curves() {
  const speed_ups& f = printed_speed_ups[Figure];
  cli::chart made{.title = fmt::format("Figure {}, {}", f.figure, text(f.kernel)),
                  .x_label = "threads",
                  .y_label = "speed-up over dynamic",
                  .x_text = [](double p) { return fmt::format("{:g}", p); },
                  .axes = cli::scale::linear,
                  .panels = {}};
  for (const site& at : sites()) {
    for (const printed_graph& g : graphs(false)) {
      cli::panel& drawn =
          made.panels.emplace_back(cli::panel{fmt::format("{}, {}", at.name, g.name), {}});
      for (const cows_schedule& s : in_order) {
        cli::curve c{s.name, {}, {}};
        for (const std::uint32_t p : at.threads) {
          show_progress(fmt::format("{}, {}, P = {}", drawn.title, s.name, p));
          c.x.push_back(p);
          c.y.push_back(found(at, f.kernel, g, "dynamic", p).makespan /
                        found(at, f.kernel, g, s.schedule, p).makespan);
        }
        drawn.curves.push_back(std::move(c));
      }
    }
  }
  return made;
}

// A group for each kernel, the geometric mean over the graphs.
template <class Over>
ratio_bars bars_of(const std::string& name, const std::vector<printed_graph>& all,
                   const Over& over) {
  ratio_bars made{name, {}};
  for (const kernel_name k : kernels) {
    std::vector<double> each;
    for (const printed_graph& g : all) each.push_back(over(k, g));
    made.by_group.push_back(ratio{geometric_mean(each), {}});
  }
  return made;
}

bar_chart kernels_chart(const char* title, const char* y_label, std::vector<ratio_bars> bars) {
  bar_panel panel{.title = "", .groups = {}, .bars = std::move(bars)};
  for (const kernel_name k : kernels) panel.groups.emplace_back(text(k));
  return {.title = title, .y_label = y_label, .one = "as fast", .panels = {panel}};
}

picture bars_18() {
  std::vector<ratio_bars> bars;
  for (const site& at : sites()) {
    for (const cows_schedule& s : stealing) {
      bars.push_back(bars_of(fmt::format("{}, {}", at.name, s.name), graphs(true),
                             [&](kernel_name k, const printed_graph& g) {
                               return found(at, k, g, "cyclic", at.most).makespan /
                                      found(at, k, g, s.schedule, at.most).makespan;
                             }));
    }
  }
  return kernels_chart("Figure 18, roads, all cores", "how many times faster than cyclic",
                       std::move(bars));
}

picture bars_19() {
  std::vector<ratio_bars> bars;
  const auto all = printed_graphs();
  for (const site& at : sites()) {
    bars.push_back(
        bars_of(at.name, {all.begin(), all.end()}, [&](kernel_name k, const printed_graph& g) {
          return unoptimised(at, k, g) / found(at, k, g, wsrw, at.most).makespan;
        }));
  }
  return kernels_chart("Figure 19, all cores", "how many times faster with optimisations",
                       std::move(bars));
}

bool is_cows(const std::string& asked) {
  return is_schedule(asked, "wsrw") || is_schedule(asked, "wsri");
}

// The paper's own idea is to know how much each victim has left, in iterations or in cost; its
// nearest rival steals.
const paper_swaps swaps{
    "cows",
    {{"all static", false, [](const std::string&) -> std::string { return "static"; }},
     {"all dynamic", false, [](const std::string&) -> std::string { return "dynamic"; }},
     {"reservations of one", false,
      [](const std::string& asked) -> std::string {
        return is_cows(asked) || asked == wsr ? asked + ",c=1" : asked;
      }},
     {"WSRW and WSRI steal at random: wsr", true,
      [](const std::string& asked) -> std::string { return is_cows(asked) ? wsr : asked; }},
     {"WSRW without costs: wsri", true, [](const std::string& asked) -> std::string {
        return is_schedule(asked, "wsrw") ? wsri : asked;
      }}}};

const paper_place places[] = {{"cows", "Figure 11", figure_11},
                              {"cows", "Figure 12", figure_12},
                              {"cows", "Figure 13", speed_up_figure<0>, curves<0>},
                              {"cows", "Figure 14", speed_up_figure<1>, curves<1>},
                              {"cows", "Figure 15", speed_up_figure<2>, curves<2>},
                              {"cows", "Figure 16", speed_up_figure<3>, curves<3>},
                              {"cows", "Figure 17", speed_up_figure<4>, curves<4>},
                              {"cows", "Figure 18", figure_18, bars_18},
                              {"cows", "Figure 19", figure_19, bars_19},
                              {"cows", "Section VI", steals},
                              {"cows", "Section VI-A", summary}};

}  // namespace
}  // namespace doall::bench
