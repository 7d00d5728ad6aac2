// fine-grain's programs (Arif & Vandierendonck 2021): Table 2, Figures 11 to 13. What the paper
// says of their loops, with the half-barrier's burden; and its own arithmetic.
#include <fmt/format.h>

#include <initializer_list>
#include <vector>

#include "experiments/fine_grain_rows.hpp"

namespace doall::bench {
namespace {

using namespace fine_grain;
using rows = std::vector<paper_row>;

// d: a loop of that length takes d + T / 48.
double burden(double serial, std::uint32_t on = threads) {
  return by_tree(serial, on) - serial / on;
}

// A program whose loops take `part` of its time.
struct program_of_loops {
  double serial;  // us, as all times here
  double part;
  double mean_loop;

  double speed_up(std::uint32_t on, double burden) const {
    const double loops = part * serial;
    return serial / ((1 - part) * serial + loops / on + loops / mean_loop * burden);
  }
};

constexpr program_of_loops clover_leaf{17.29e6, 0.9887, 2.71e3};
constexpr program_of_loops mpdata{22.0e6, 0.8864, 21.29e3};
constexpr double lb3d_loops[] = {45.11, 4630};

double lb3d_speed_up(std::uint32_t on) {
  double serial = 0;
  double parallel = 0;
  for (const double one : lb3d_loops) {
    serial += one;
    parallel += by_tree(one, on);
  }
  return serial / parallel;
}

rows table_2() {
  const char* const where = "Table 2";
  const char* const needs = "the authors' program, its input and its machine";
  constexpr double short_loop = 45.11;
  constexpr double long_loop = 4630;
  rows to;
  add_missing(to, where, "CloverLeaf", needs,
              {{"s, one thread", 17.29},
               {"loops", 111},
               {"% of the time in loops", 98.87},
               {"shortest loop, us", 0.95},
               {"mean loop, us", 2710},
               {"longest loop, us", 46'320},
               {"loops under 1 ms", 69},
               {"their total, s", 0.12}});
  add_missing(to, where, "MPDATA", needs,
              {{"s, one thread", 22.0},
               {"loops", 36},
               {"% of the time in loops", 88.64},
               {"shortest loop, us", 0.72},
               {"mean loop, us", 21'290},
               {"longest loop, us", 753'840},
               {"loops under 1 ms", 32},
               {"their total, s", 17.93}});
  add_missing(to, where, "LB3D", needs,
              {{"s, one thread", 4.92},
               {"loops", 2},
               {"% of the time in loops", 94.85},
               {"shortest loop, us", short_loop},
               {"longest loop, us", long_loop},
               {"loops under 1 ms", 1}});
  to.push_back(ratio_row(where, "LB3D: mean of its two loops, us", 2340,
                         (short_loop + long_loop) / 2,
                         "its own minimum and maximum give another mean", 0.003));
  to.push_back(ratio_row(where, "LB3D: total of the loop under 1 ms, s, by 1,000 steps", 0.04511,
                         1000 * short_loop / 1e6, "its own loop gives another total", 0.003));
  to.push_back(ratio_row(where, "LB3D: s in loops, by 1,000 steps of both", 4.92 * 0.9485,
                         1000 * (short_loop + long_loop) / 1e6, "its own loops give another time",
                         0.01));
  return to;
}

rows figure_11() {
  const double d = burden(mpdata.mean_loop);
  constexpr std::uint32_t few = 4;
  constexpr std::uint32_t socket = 12;
  return {ratio_row("Figure 11", "MPDATA: OpenMP's speed-up on 4 threads", 2.96,
                    mpdata.speed_up(few, d), "only means of its loops are in the model"),
          row("Figure 11", "MPDATA: 48 threads over 12, which stagnate", printed_kind::bound, 1,
              mpdata.speed_up(threads, d) / mpdata.speed_up(socket, d),
              "its 36 loops are 18 s of the 22 in 32 of them, and how long each takes is not "
              "stated: only means are in the model"),
          missing("Figure 11", "MPDATA: fine-grain over OpenMP", 1.22,
                  "OpenMP's launch is doall's own here; Intel's would have to be modelled")};
}

rows figure_12() {
  const double ours = lb3d_speed_up(threads);
  constexpr const char* more =
      "its two loops would have to lose 10 to 20 us each, twice the printed burdens: imbalance or "
      "bandwidth, of which nothing is stated";
  return {ratio_row("Figure 12", "LB3D 32^3: OpenMP's speed-up, 48 threads", 34.1, ours, more),
          ratio_row("Figure 12", "LB3D 32^3: fine-grain's speed-up, 48 threads", 39.3, ours, more),
          ratio_row("Figure 12", "LB3D 32^3: fine-grain over OpenMP (printed: 16 %)", 1.16,
                    39.3 / 34.1, "its own speed-ups give another quotient", 0.01),
          ratio_row("Figure 12", "LB3D 128^3, 12 threads: fine-grain over OpenMP", 0.9942, 1,
                    "no burden is seen in loops of that length", 0.01)};
}

rows figure_13() {
  const double d = burden(clover_leaf.mean_loop);
  return {ratio_row("Figure 13", "CloverLeaf: OpenMP's speed-up, 48 threads", 18.8,
                    clover_leaf.speed_up(threads, d),
                    "its loops move data: the machine's bandwidth is not stated"),
          missing("Figure 13", "CloverLeaf: fine-grain over OpenMP, at least", 1.04,
                  "OpenMP's launch is doall's own here; Intel's would have to be modelled")};
}

picture curves_11() {
  return speed_ups("Figure 11, MPDATA by its mean loop", [](std::uint32_t on) {
    return mpdata.speed_up(on, burden(mpdata.mean_loop, on));
  });
}

picture curves_12() { return speed_ups("Figure 12, LB3D 32^3 by its two loops", lb3d_speed_up); }

picture curves_13() {
  return speed_ups("Figure 13, CloverLeaf by its mean loop", [](std::uint32_t on) {
    return clover_leaf.speed_up(on, burden(clover_leaf.mean_loop, on));
  });
}

const paper_place places[] = {{"fine-grain", "Table 2", table_2},
                              {"fine-grain", "Figure 11", figure_11, curves_11},
                              {"fine-grain", "Figure 12", figure_12, curves_12},
                              {"fine-grain", "Figure 13", figure_13, curves_13}};

}  // namespace
}  // namespace doall::bench
