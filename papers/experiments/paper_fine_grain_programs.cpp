// fine-grain's programs (Arif & Vandierendonck 2021): Table 2, Figures 11 to 13. What the paper
// says of their loops, with the half-barrier's burden; and its own arithmetic.
#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <vector>

#include "experiments/fine_grain_rows.hpp"
#include "kernels/advection.hpp"
#include "kernels/hydro.hpp"
#include "kernels/lattice_boltzmann.hpp"

namespace doall::bench {
namespace {

using namespace fine_grain;
using rows = std::vector<paper_row>;

using launch_time = double (*)(double serial, std::uint32_t on);

double tree(double serial, std::uint32_t on) { return by_tree(serial, on); }
double intel(double serial, std::uint32_t on) { return by_intel(serial, on); }

// A program by what Table 2 says of its loops in the source. Their mean is one over these loops,
// not over executions: MPDATA's 32 under 1 ms take 17.93 s, which a mean of 21.29 ms over all
// executions could not be. Times in us.
struct program_of_loops {
  double serial;
  double part;  // of it in loops
  double loops;
  double shortest;
  double mean;
  double longest;
  double short_loops;  // under 1 ms
  double short_total;

  double speed_up(std::uint32_t on, launch_time by) const {
    double time = (1 - part) * serial;
    for (const alike_loops& one : by_length()) time += one.executions * by(one.length, on);
    return serial / time;
  }

 private:
  struct alike_loops {
    double length;
    double executions;
  };

  // Short loops at even distances on a logarithmic axis up to 1 ms, the longest one, and the others
  // all alike, so that the mean is the printed one: as Table 3's. A program goes through all of its
  // short ones equally often, and so through the others.
  std::vector<alike_loops> by_length() const {
    constexpr double short_most = 1000;
    std::vector<alike_loops> all;
    double short_sum = 0;
    for (double k = 0; k < short_loops; ++k) {
      all.push_back({shortest * std::pow(short_most / shortest, k / short_loops), 1});
      short_sum += all.back().length;
    }
    for (alike_loops& one : all) one.executions = short_total / short_sum;
    const double long_sum = loops * mean - short_sum;
    const double times = (part * serial - short_total) / long_sum;
    const double others = loops - short_loops - 1;
    all.push_back({longest, times});
    all.push_back({(long_sum - longest) / others, others * times});
    return all;
  }
};

constexpr program_of_loops clover_leaf{.serial = 17.29e6,
                                       .part = 0.9887,
                                       .loops = 111,
                                       .shortest = 0.95,
                                       .mean = 2.71e3,
                                       .longest = 46.32e3,
                                       .short_loops = 69,
                                       .short_total = 0.12e6};
constexpr program_of_loops mpdata{.serial = 22.0e6,
                                  .part = 0.8864,
                                  .loops = 36,
                                  .shortest = 0.72,
                                  .mean = 21.29e3,
                                  .longest = 753.84e3,
                                  .short_loops = 32,
                                  .short_total = 17.93e6};

// LB3D's loops on a grid of `times` as many points as 32^3.
double lb3d_speed_up(std::uint32_t on, launch_time by, double times = 1) {
  constexpr double loops[] = {45.11, 4630};
  double serial = 0;
  double parallel = 0;
  for (const double one : loops) {
    serial += times * one;
    parallel += by(times * one, on);
  }
  return serial / parallel;
}

// How many loops our program of that name has (harness/kernels).
template <class Kernel>
double loops_of() {
  return static_cast<double>(Kernel(size::small).loop_lengths().size());
}

rows table_2() {
  const char* const where = "Table 2";
  const char* const needs = "the authors' program, its input and its machine; ours is another one";
  constexpr double short_loop = 45.11;
  constexpr double long_loop = 4630;
  rows to;
  add_statistics(to, where, "CloverLeaf", needs,
                 {{"s, one thread", 17.29},
                  {"loops; ours: of our hydro", 111, loops_of<hydro>()},
                  {"% of the time in loops", 98.87},
                  {"shortest loop, us", 0.95},
                  {"mean loop, us", 2710},
                  {"longest loop, us", 46'320},
                  {"loops under 1 ms", 69},
                  {"their total, s", 0.12}});
  add_statistics(to, where, "MPDATA", needs,
                 {{"s, one thread", 22.0},
                  {"loops; ours: of our advection", 36, loops_of<advection>()},
                  {"% of the time in loops", 88.64},
                  {"shortest loop, us", 0.72},
                  {"mean loop, us", 21'290},
                  {"longest loop, us", 753'840},
                  {"loops under 1 ms", 32},
                  {"their total, s", 17.93}});
  add_statistics(to, where, "LB3D", needs,
                 {{"s, one thread", 4.92},
                  {"loops; ours: of our lattice-boltzmann", 2, loops_of<lattice_boltzmann>()},
                  {"% of the time in loops", 94.85},
                  {"shortest loop, us", short_loop},
                  {"longest loop, us", long_loop},
                  {"loops under 1 ms", 1}});
  to.push_back(sum_row(where, "LB3D: mean of its two loops, us", 2340, (short_loop + long_loop) / 2,
                       "its own minimum and maximum give another mean"));
  to.push_back(sum_row(where, "LB3D: total of the loop under 1 ms, s, by 1,000 steps", 0.04511,
                       1000 * short_loop / 1e6, "its own loop gives another total"));
  to.push_back(sum_row(where, "LB3D: s in loops, by 1,000 steps of both", 4.92 * 0.9485,
                       1000 * (short_loop + long_loop) / 1e6, "its own loops give another time"));
  return to;
}

constexpr std::uint32_t few = 4;
constexpr std::uint32_t a_socket = 12;

rows figure_11() {
  constexpr const char* lengths =
      "how long each of its 36 loops takes is not stated, but for the shortest and the longest";
  return {gain_row("Figure 11", "MPDATA: OpenMP's speed-up on 4 threads", 2.96,
                   mpdata.speed_up(few, intel), lengths),
          make_row("Figure 11", "MPDATA: OpenMP on 48 threads over 12, which stagnate",
                   printed_kind::bound, 1,
                   mpdata.speed_up(threads, intel) / mpdata.speed_up(a_socket, intel), lengths),
          gain_row("Figure 11", "MPDATA: fine-grain over OpenMP, the most", 1.22,
                   mpdata.speed_up(threads, tree) / mpdata.speed_up(threads, intel), lengths)};
}

rows figure_12() {
  constexpr const char* more =
      "its two loops would have to lose 10 to 20 us each, more than the printed burdens: imbalance "
      "or bandwidth, of which nothing is stated";
  constexpr double larger = 64;
  const double by_openmp = lb3d_speed_up(threads, intel);
  const double by_ours = lb3d_speed_up(threads, tree);
  return {
      gain_row("Figure 12", "LB3D 32^3: OpenMP's speed-up, 48 threads", 34.1, by_openmp, more),
      gain_row("Figure 12", "LB3D 32^3: fine-grain's speed-up, 48 threads", 39.3, by_ours, more),
      gain_row("Figure 12", "LB3D 32^3, 48 threads: fine-grain over OpenMP", 39.3 / 34.1,
               by_ours / by_openmp, more),
      sum_row("Figure 12", "LB3D 32^3: fine-grain over OpenMP (printed: 16 %), by its speed-ups",
              1.16, 39.3 / 34.1, "its own speed-ups give another quotient"),
      make_row("Figure 12", "LB3D 128^3, 12 threads: fine-grain over OpenMP (printed: 0.9942)",
               printed_kind::alike, 0.9942,
               lb3d_speed_up(a_socket, tree, larger) / lb3d_speed_up(a_socket, intel, larger),
               "no burden is seen in loops of that length"),
      make_row("Figure 12", "LB3D 128^3 gains less than 32^3, 48 threads", printed_kind::order, 1,
               lb3d_speed_up(threads, tree, larger) / lb3d_speed_up(threads, intel, larger) /
                   (by_ours / by_openmp),
               "both loops of 32^3 are long beside a launch here")};
}

rows figure_13() {
  constexpr const char* bandwidth =
      "its loops move data: the machine's bandwidth is not stated, nor how long each loop takes";
  return {gain_row("Figure 13", "CloverLeaf: OpenMP's speed-up, 48 threads", 18.8,
                   clover_leaf.speed_up(threads, intel), bandwidth),
          gain_row("Figure 13", "CloverLeaf: fine-grain over OpenMP", 1.04,
                   clover_leaf.speed_up(threads, tree) / clover_leaf.speed_up(threads, intel),
                   bandwidth)};
}

constexpr const char* tree_name = "fine-grain tree";
constexpr const char* intel_name = "OpenMP";

picture curves_11() {
  return speed_ups("Figure 11, MPDATA by its loops",
                   {{tree_name, [](std::uint32_t on) { return mpdata.speed_up(on, tree); }},
                    {intel_name, [](std::uint32_t on) { return mpdata.speed_up(on, intel); }}});
}

picture curves_12() {
  return speed_ups("Figure 12, LB3D 32^3 by its two loops",
                   {{tree_name, [](std::uint32_t on) { return lb3d_speed_up(on, tree); }},
                    {intel_name, [](std::uint32_t on) { return lb3d_speed_up(on, intel); }}});
}

picture curves_13() {
  return speed_ups(
      "Figure 13, CloverLeaf by its loops",
      {{tree_name, [](std::uint32_t on) { return clover_leaf.speed_up(on, tree); }},
       {intel_name, [](std::uint32_t on) { return clover_leaf.speed_up(on, intel); }}});
}

const paper_place places[] = {{"fine-grain", "Table 2", table_2},
                              {"fine-grain", "Figure 11", figure_11, curves_11},
                              {"fine-grain", "Figure 12", figure_12, curves_12},
                              {"fine-grain", "Figure 13", figure_13, curves_13}};

}  // namespace
}  // namespace doall::bench
