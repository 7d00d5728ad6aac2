// fine-grain's Table 1 (Arif & Vandierendonck 2021), and what is said of it, on a model of the
// paper's machine (src/sim/machines/e7-4860.json): release and join as messages along the shapes of
// src/barrier, and loops by the shipped schedules.
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

#include "experiments/fine_grain_rows.hpp"
#include "schedule/grammar.hpp"
#include "sim/program.hpp"
#include "sim/stealing.hpp"

namespace doall::bench {
namespace {

using namespace fine_grain;
using base::u64;
using rows = std::vector<paper_row>;

const sim::machine& machine() {
  static const sim::machine found = sim::find_machine("e7-4860");
  return found;
}

schedules::spec spec_of(const char* text) {
  const std::string other = stand_in(text);
  return schedules::parse(other).value;
}

// --- A loop of T us, by each of Table 1's schedulers: how long it takes.

sim::launch team(bool flat = false, std::uint32_t on = threads) {
  return {on, threads / machine().domains, machine().messages, flat};
}

double by_next(double serial, const char* schedule, bool flat = false, std::uint32_t on = threads) {
  sim::launch all = team(flat, on);
  const sim::execution ran = sim::run_once({.schedule = spec_of(schedule),
                                            .shape = {on, on},
                                            .costs = sim::iteration_costs(serial / on),
                                            .prices = machine().sync,
                                            .arrivals = all.begins()});
  std::vector<double> ends;
  for (const sim::worker_account& w : ran.workers) ends.push_back(w.left);
  return all.joined(ends);
}

double by_the_tree(double serial) { return by_tree(serial); }

double by_centralized(double serial) { return by_next(serial, "static", true); }

// A full barrier before the loop and one behind it (section 3, Figure 4 B). The loops are timed one
// by one, so the workers have arrived when the first one looks for them, and where they are
// released behind the loop nobody waits for them: of the redundant halves it pays for reading its
// children's lines and writing to them. (DOALL_BARRIER=full waits for a whole empty launch, twice
// the half.)
double by_full_barrier(double serial) {
  sim::launch all = team();
  std::vector<double> arrived(threads, -1e6);
  arrived.front() = 0;
  const double read = all.joined(arrived);
  const double written = all.begins().front();
  return read + by_tree(serial) + written;
}

double by_dynamic(double serial) { return by_next(serial, "dynamic"); }

double by_cilk(double serial) { return by_stealing(serial); }

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
    {"fine-grain tree", by_the_tree, 5.67, 81.64, 21.99, 1.49},
    {"OpenMP static", by_the_tree, 8.12, 84.30, 24.25, 1.54},
    {"fine-grain centralized", by_centralized, 7.55, 87.13, 24.42, 1.57},
    {"fine-grain tree with full barrier", by_full_barrier, 12.00, 88.03, 28.54, 1.62},
    {"OpenMP dynamic", by_dynamic, 31.94, 209.38, 41.54, 16.35},
    {"Cilk", by_cilk, 68.80, 264.07, 75.58, 16.51}};

const scheduler& tree = table_1_all[0];
const scheduler& cilk = table_1_all[5];

constexpr const char* contradiction = "by S = T / (d + T / 48) the column contradicts the 24x one";

// d, by a column that says how long a loop is that is so many times as fast.
double implied(double serial, double speed_up) { return serial / speed_up - serial / threads; }

std::string implied_burdens(const scheduler& s) {
  return fmt::format("the columns imply burdens of {:.2g} us (24x) and {:.2g} us (5 %)",
                     implied(s.at_24x, 24), implied(s.at_5, 0.05 * threads));
}

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
                         const std::string& why = contradiction) {
      to.push_back(ratio_row(where, fmt::format("{}, {}, us", s.name, column), printed, ours, why));
    };
    add("24x", s.at_24x, at_half.back(), implied_burdens(s));
    add("d", s.burden, s.burden_at(at_half.back()));
    add("95 % of peak", s.at_95, s.serial_at(most));
    add("5 % of peak", s.at_5, s.serial_at(least));
    // S <= T / d.
    to.push_back(ratio_row(
        where, fmt::format("{}: 24x, of the printed d", s.name), s.at_24x,
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
    to.push_back(ratio_row(
        "Section 5.1", fmt::format("burden of {} over fine-grain tree's", s.name),
        s.burden / tree.burden, d(s) / d(tree),
        s.time == tree.time ? "doall's OpenMP regions are launched along the same half-barrier"
                            : "by the 24x column it is a third of that"));
  }
  return to;
}

rows figure_10() {
  constexpr double loop_us = 80;
  return {ratio_row("Figure 10", "a loop of 80 us: fine-grain over Cilk", 2,
                    tree.speed_up(loop_us) / cilk.speed_up(loop_us),
                    "the 24x column's burdens leave Cilk less to lose")};
}

picture curves_10() {
  cli::chart made{.title = "Figure 10, uforall on 48 threads",
                  .x_label = "T on one thread, us",
                  .y_label = "speed-up",
                  .x_text = [](double us) { return fmt::format("{:g}", us); },
                  .axes = cli::scale::logarithmic,
                  .panels = {{"", {}}}};
  constexpr double first_us = 1;
  constexpr double last_us = 1000;
  constexpr double step = 1.5848931924611136;  // five a decade
  for (const scheduler& s : table_1_all) {
    if (s.name == table_1_all[1].name) continue;  // by the same half-barrier as the first
    cli::curve c{s.name, {}, {}};
    for (double us = first_us; us < last_us * step; us *= step) {
      c.x.push_back(us);
      c.y.push_back(s.speed_up(us));
    }
    made.panels.front().curves.push_back(std::move(c));
  }
  return made;
}

// Section 4: "exactly P-1 reduction operations for P threads", as many as there are joins.
rows reductions() {
  sim::launch all = team();
  all.joined(std::vector<double>(threads));
  return {row("Section 4.1", "reduction operations of 48 threads", printed_kind::count, threads - 1,
              static_cast<double>(all.messages()), "the tree has another number of joins")};
}

const paper_place places[] = {{"fine-grain", "Table 1", table_1},
                              {"fine-grain", "Section 4.1", reductions},
                              {"fine-grain", "Section 5.1", burdens},
                              {"fine-grain", "Figure 10", figure_10, curves_10}};

}  // namespace

// Nobody is released: idle workers look for work all the time.
double fine_grain::by_stealing_once(double serial, u64 seed, std::uint32_t on) {
  const sim::machine& m = machine();
  const sim::nest loop{{{.iterations = 1, .inner = {1}}, {.iterations = on, .cost = serial / on}}};
  sim::stealing_setup setup{.schedule = spec_of("ebs-simple,1"),
                            .workers = on,
                            .seed = seed,
                            .prices = m.stealing.scaled(m.unit)};
  setup.prices.attempt = setup.prices.report = m.sync.central;
  setup.prices.theft = m.sync.stolen;
  return sim::run_by_stealing(loop, setup).makespan;
}

double fine_grain::by_stealing(double serial, std::uint32_t on) {
  constexpr u64 seeds = 20;
  double sum = 0;
  for (u64 seed = 1; seed <= seeds; ++seed) sum += by_stealing_once(serial, seed, on);
  return sum / seeds;
}

double fine_grain::by_tree(double serial, std::uint32_t on) {
  return by_next(serial, "static", false, on);
}

picture fine_grain::speed_ups(const std::string& title, double (*speed_up)(std::uint32_t on)) {
  cli::curve ideal{"ideal", {}, {}, true};
  cli::curve tree_curve{"fine-grain tree", {}, {}};
  for (const std::uint32_t p : {1U, 2U, 4U, 8U, 12U, 24U, 36U, threads}) {
    for (cli::curve* one : {&ideal, &tree_curve}) one->x.push_back(p);
    ideal.y.push_back(p);
    tree_curve.y.push_back(speed_up(p));
  }
  return cli::chart{.title = title,
                    .x_label = "threads",
                    .y_label = "speed-up",
                    .x_text = [](double p) { return fmt::format("{:g}", p); },
                    .axes = cli::scale::linear,
                    .panels = {{"", {tree_curve, ideal}}}};
}

paper_row fine_grain::row(std::string where, std::string what, printed_kind kind, double printed,
                          double ours, std::string why, double apart) {
  return make_row(std::move(where), std::move(what), kind, printed, ours, std::move(why), apart);
}

paper_row fine_grain::ratio_row(std::string where, std::string what, double printed, double ours,
                                std::string why, double apart) {
  return row(std::move(where), std::move(what), printed_kind::ratio, printed, ours, std::move(why),
             apart);
}

void fine_grain::add_missing(std::vector<paper_row>& to, const char* where, const char* program,
                             const char* needs, std::initializer_list<statistic> all) {
  for (const statistic& one : all) {
    to.push_back(missing(where, fmt::format("{}: {}", program, one.what), one.printed, needs));
  }
}

paper_row fine_grain::missing(std::string where, std::string what, double printed,
                              std::string needs) {
  return ratio_row(std::move(where), std::move(what), printed,
                   std::numeric_limits<double>::quiet_NaN(), std::move(needs));
}

}  // namespace doall::bench
