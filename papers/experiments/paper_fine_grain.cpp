// fine-grain's tables and figures (Arif & Vandierendonck 2021), on a model of the paper's machine
// (src/sim/machines/e7-4860.json): release and join as messages along the shapes of src/barrier,
// and loops by the shipped schedules.
//
// Table 1 contradicts itself. By the paper's S = T / (d + T / 48) no loop is faster than T / d, so
// with the printed burden d a loop of the printed 24x column would gain 4. The rows of that column
// are the ones to judge by; the others stand beside them.
//
// What uforall iterates over is not stated: one iteration for each thread here.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "experiments/paper.hpp"
#include "schedule/grammar.hpp"
#include "sim/program.hpp"
#include "sim/stealing.hpp"

namespace doall::bench {
namespace {

using base::u64;
using rows = std::vector<paper_row>;

constexpr std::uint32_t threads = 48;
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
constexpr double a_quarter = 0.25;

const sim::machine& machine() {
  static const sim::machine found = sim::find_machine("e7-4860");
  return found;
}

schedules::spec spec_of(const char* text) {
  const std::string other = stand_in(text);
  return schedules::parse(other).value;
}

// --- A loop of T us, by each of Table 1's schedulers: how long it takes.

sim::launch team(bool flat = false) {
  return {threads, threads / machine().domains, machine().messages, flat};
}

double by_next(double serial, const char* schedule, bool flat = false) {
  sim::launch all = team(flat);
  const sim::execution ran = sim::run_once({.schedule = spec_of(schedule),
                                            .shape = {threads, threads},
                                            .costs = sim::iteration_costs(serial / threads),
                                            .prices = machine().sync,
                                            .arrivals = all.begins()});
  std::vector<double> ends;
  for (const sim::worker_account& w : ran.workers) ends.push_back(w.left);
  return all.joined(ends);
}

double by_tree(double serial) { return by_next(serial, "static"); }
double by_centralized(double serial) { return by_next(serial, "static", true); }

// As DOALL_BARRIER=full: each launch is followed by an empty one.
double by_full_barrier(double serial) {
  sim::launch all = team();
  return by_tree(serial) + all.joined(all.begins());
}

double by_dynamic(double serial) { return by_next(serial, "dynamic"); }

// Nobody is released: idle workers look for work all the time.
double by_stealing(double serial) {
  const sim::machine& m = machine();
  const sim::nest loop{
      {{.iterations = 1, .inner = {1}}, {.iterations = threads, .cost = serial / threads}}};
  constexpr u64 seeds = 20;
  double sum = 0;
  for (u64 seed = 1; seed <= seeds; ++seed) {
    sim::stealing_setup setup{.schedule = spec_of("ebs-simple,1"),
                              .workers = threads,
                              .seed = seed,
                              .prices = sim::stealing_prices{}.scaled(m.unit)};
    setup.prices.attempt = setup.prices.report = m.sync.central;
    setup.prices.theft = m.sync.stolen;
    sum += sim::run_by_stealing(loop, setup).makespan;
  }
  return sum / seeds;
}

struct scheduler {
  const char* name;
  double (*time)(double serial);
  double burden;  // printed, as all that follows
  double at_95;
  double at_24x;
  double at_5;

  double speed_up(double serial) const { return serial / time(serial); }

  // The shortest loop that is so many times as fast: speed-ups grow with T.
  double serial_at(double wanted) const {
    double low = 0.01;
    double high = 1e5;
    constexpr int halvings = 40;
    for (int k = 0; k < halvings; ++k) {
      const double middle = std::sqrt(low * high);
      (speed_up(middle) < wanted ? low : high) = middle;
    }
    return high;
  }

  // d, so that a loop of that length takes d + T / 48.
  double burden_at(double serial) const { return time(serial) - serial / threads; }
};

const scheduler table_1_all[] = {
    {"fine-grain tree", by_tree, 5.67, 81.64, 21.99, 1.49},
    {"OpenMP static", by_tree, 8.12, 84.30, 24.25, 1.54},
    {"fine-grain centralized", by_centralized, 7.55, 87.13, 24.42, 1.57},
    {"fine-grain tree with full barrier", by_full_barrier, 12.00, 88.03, 28.54, 1.62},
    {"OpenMP dynamic", by_dynamic, 31.94, 209.38, 41.54, 16.35},
    {"Cilk", by_stealing, 68.80, 264.07, 75.58, 16.51}};

const scheduler& tree = table_1_all[0];
const scheduler& cilk = table_1_all[5];

paper_row row(std::string where, std::string what, printed_kind kind, double printed, double ours,
              std::string why, double apart = a_quarter) {
  paper_row made;
  made.where = std::move(where);
  made.what = std::move(what);
  made.kind = kind;
  made.printed = printed;
  made.ours = ours;
  made.apart = apart;
  made.why = std::move(why);
  return made;
}

paper_row ratio(std::string where, std::string what, double printed, double ours, std::string why,
                double apart = a_quarter) {
  return row(std::move(where), std::move(what), printed_kind::ratio, printed, ours, std::move(why),
             apart);
}

// What no model is of.
paper_row missing(std::string where, std::string what, double printed, std::string needs) {
  return ratio(std::move(where), std::move(what), printed, no_number, std::move(needs));
}

constexpr const char* contradiction = "by S = T / (d + T / 48) the column contradicts the 24x one";

rows table_1() {
  rows to;
  const std::string where = "Table 1";
  constexpr double half = 24;
  constexpr double most = 0.95 * threads;
  constexpr double least = 0.05 * threads;
  std::vector<double> at_half;
  for (const scheduler& s : table_1_all) {
    at_half.push_back(s.serial_at(half));
    const auto add = [&](const char* column, double printed, double ours,
                         const char* why = contradiction) {
      to.push_back(ratio(where, fmt::format("{}, {}, us", s.name, column), printed, ours, why));
    };
    add("24x", s.at_24x, at_half.back(), "the column d, and that of 5 %, say another burden");
    add("d", s.burden, s.burden_at(at_half.back()));
    add("95 % of peak", s.at_95, s.serial_at(most));
    add("5 % of peak", s.at_5, s.serial_at(least));
    // S <= T / d.
    to.push_back(
        ratio(where, fmt::format("{}: 24x, of the printed d", s.name), s.at_24x,
              half * s.burden / (1 - half / threads),
              "the printed columns contradict each other: S = T / (d + T / 48) is at most T / d"));
  }
  for (std::size_t k = 1; k < at_half.size(); ++k) {
    const scheduler& ahead = table_1_all[k - 1];
    const scheduler& behind = table_1_all[k];
    to.push_back(row(where, fmt::format("24x: {} before {}", ahead.name, behind.name),
                     printed_kind::order, 1, at_half[k - 1] / at_half[k],
                     ahead.time == behind.time
                         ? "doall's OpenMP regions are launched along the same half-barrier"
                         : "see the ratios"));
  }
  return to;
}

// What the d column says of one scheduler and another: it contradicts the 24x one by a factor,
// which the same column has everywhere.
rows burdens() {
  rows to;
  const auto d = [](const scheduler& s) { return s.burden_at(s.at_24x); };
  for (const scheduler& s : table_1_all) {
    if (&s == &tree) continue;
    to.push_back(ratio("Section 5.1", fmt::format("burden of {} over fine-grain tree's", s.name),
                       s.burden / tree.burden, d(s) / d(tree),
                       s.time == tree.time
                           ? "doall's OpenMP regions are launched along the same half-barrier"
                           : "by the 24x column it is a third of that"));
  }
  return to;
}

rows figure_10() {
  constexpr double loop_us = 80;
  return {ratio("Figure 10", "a loop of 80 us: fine-grain over Cilk", 2,
                tree.speed_up(loop_us) / cilk.speed_up(loop_us),
                "the 24x column's burdens leave Cilk less to lose")};
}

// Section 4: "exactly P-1 reduction operations for P threads", as many as there are joins.
rows reductions() {
  sim::launch all = team();
  all.joined(std::vector<double>(threads));
  return {row("Section 4.1", "reduction operations of 48 threads", printed_kind::count, threads - 1,
              static_cast<double>(all.messages()), "the tree has another number of joins")};
}

// --- The programs.

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

rows table_2() {
  const std::string where = "Table 2";
  constexpr const char* needs = "the authors' program, its input and its machine";
  constexpr double short_loop = 45.11;
  constexpr double long_loop = 4630;
  return {missing(where, "CloverLeaf: s, one thread", 17.29, needs),
          missing(where, "CloverLeaf: loops", 111, needs),
          missing(where, "CloverLeaf: % of the time in loops", 98.87, needs),
          missing(where, "MPDATA: s, one thread", 22.0, needs),
          missing(where, "MPDATA: loops", 36, needs),
          missing(where, "MPDATA: % of the time in loops", 88.64, needs),
          missing(where, "LB3D: s, one thread", 4.92, needs),
          missing(where, "LB3D: % of the time in loops", 94.85, needs),
          ratio(where, "LB3D: mean of its two loops, us", 2340, (short_loop + long_loop) / 2,
                "its own minimum and maximum give another mean", 0.003),
          ratio(where, "LB3D: s in loops, by 1,000 steps of both", 4.92 * 0.9485,
                1000 * (short_loop + long_loop) / 1e6, "its own loops give another time", 0.01)};
}

rows table_3() {
  struct printed {
    const char* program;
    double cilk_total;
    double cilk_fine;
    double hybrid_total;
    double hybrid_fine;
    double percent_total;
    double percent_fine;
  };
  constexpr printed all[] = {{"BFS", 0.387, 0.0928, 0.376, 0.0763, 2.75, 21.6},
                             {"BC", 1.59, 0.304, 1.53, 0.250, 4.35, 21.9},
                             {"CC", 2.13, 0.155, 2.10, 0.129, 1.48, 29.6},
                             {"PR", 13.7, 0.907, 13.4, 0.711, 2.73, 27.5}};
  rows to;
  const std::string where = "Table 3";
  for (const printed& p : all) {
    const auto add = [&](const char* what, double percent, double cilk_time, double hybrid_time) {
      to.push_back(ratio(
          where, fmt::format("{}: speed-up of {}, by its own times", p.program, what),
          1 + percent / 100, cilk_time / hybrid_time, "its own times give another speed-up", 0.02));
    };
    add("all", p.percent_total, p.cilk_total, p.hybrid_total);
    add("fine loops", p.percent_fine, p.cilk_fine, p.hybrid_fine);
    to.push_back(missing(where, fmt::format("{}: s, Cilk", p.program), p.cilk_total,
                         "Ligra's loops on the Twitter graph, recorded"));
  }
  return to;
}

rows figure_11() {
  const double burden = tree.burden_at(mpdata.mean_loop);
  constexpr std::uint32_t few = 4;
  constexpr std::uint32_t socket = 12;
  return {ratio("Figure 11", "MPDATA: OpenMP's speed-up on 4 threads", 2.96,
                mpdata.speed_up(few, burden), "not traced"),
          row("Figure 11", "MPDATA: 48 threads over 12, which stagnate", printed_kind::bound, 1,
              mpdata.speed_up(threads, burden) / mpdata.speed_up(socket, burden),
              "its 36 loops are 18 s of the 22 in 32 of them, and how long each takes is not "
              "stated: only means are in the model"),
          missing("Figure 11", "MPDATA: fine-grain over OpenMP", 1.22,
                  "OpenMP's launch is doall's own here; Intel's would have to be modelled")};
}

rows figure_12() {
  constexpr double loops[] = {45.11, 4630};
  const auto speed_up = [&](const scheduler& s) {
    double serial = 0;
    double parallel = 0;
    for (const double one : loops) {
      serial += one;
      parallel += s.time(one);
    }
    return serial / parallel;
  };
  const double ours = speed_up(tree);
  constexpr const char* more =
      "its two loops would have to lose 10 to 20 us each, twice the printed burdens: imbalance or "
      "bandwidth, of which nothing is stated";
  return {ratio("Figure 12", "LB3D 32^3: OpenMP's speed-up, 48 threads", 34.1, ours, more),
          ratio("Figure 12", "LB3D 32^3: fine-grain's speed-up, 48 threads", 39.3, ours, more),
          ratio("Figure 12", "LB3D 32^3: fine-grain over OpenMP (printed: 16 %)", 1.16, 39.3 / 34.1,
                "its own speed-ups give another quotient", 0.01),
          ratio("Figure 12", "LB3D 128^3, 12 threads: fine-grain over OpenMP", 0.9942, 1,
                "no burden is seen in loops of that length", 0.01)};
}

rows figure_13() {
  const double burden = tree.burden_at(clover_leaf.mean_loop);
  return {ratio("Figure 13", "CloverLeaf: OpenMP's speed-up, 48 threads", 18.8,
                clover_leaf.speed_up(threads, burden),
                "its loops move data: the machine's bandwidth is not stated"),
          missing("Figure 13", "CloverLeaf: fine-grain over OpenMP, at least", 1.04,
                  "OpenMP's launch is doall's own here; Intel's would have to be modelled")};
}

rows figure_1() {
  return {missing("Figure 1", "BC on Twitter: the best loop's speed-up over Cilk", 16,
                  "Ligra's loops on the Twitter graph, recorded")};
}

rows figure_14() {
  return {missing("Figure 14", "linear regression: the best speed-up over Cilk", 2.8,
                  "the program's loops, recorded, and Cilk's reducers")};
}

rows figure_15() {
  return {missing("Figure 15", "BC, PR: distributions of 200 runs", no_number,
                  "the authors' machine: virtual time has no stragglers of its own")};
}

const paper_place places[] = {
    {"fine-grain", "Table 1", table_1},     {"fine-grain", "Table 2", table_2},
    {"fine-grain", "Table 3", table_3},     {"fine-grain", "Section 4.1", reductions},
    {"fine-grain", "Section 5.1", burdens}, {"fine-grain", "Figure 1", figure_1},
    {"fine-grain", "Figure 10", figure_10}, {"fine-grain", "Figure 11", figure_11},
    {"fine-grain", "Figure 12", figure_12}, {"fine-grain", "Figure 13", figure_13},
    {"fine-grain", "Figure 14", figure_14}, {"fine-grain", "Figure 15", figure_15}};

}  // namespace
}  // namespace doall::bench
