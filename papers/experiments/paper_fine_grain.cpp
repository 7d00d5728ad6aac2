// fine-grain's Table 1 (Arif & Vandierendonck 2021), and what is said of it, on a model of the
// paper's machine (src/sim/machines/e7-4860.json): release and join as messages along the shapes of
// src/barrier, and loops by the shipped schedules.
//
// What Table 1 says of T. The text calls it the "sequential execution time". Then the columns
// contradict each other: by the paper's S = T / (d + T / 48) no loop is faster than T / d, so with
// the printed burden d a loop of the printed 24x column would gain 4; and 24 times would take a
// burden of 0.46 us, of 47 messages over four sockets and back. Here T is each thread's part, so
// that S = 48 T / (o + d + T). Then 24 times takes T = o + d, and the printed T - d is 16.1 to 16.9
// us of all four static schedulers: one overhead o, as the paper says ("the curves do not extend to
// 48-fold speedup due to instrumentation overhead"). It also says that a loop of 95 % of the peak
// gains 37 to 40 under all six, not 45.6.
//
// What uforall iterates over is not stated: one iteration for each thread here.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "experiments/fine_grain_launches.hpp"
#include "experiments/fine_grain_rows.hpp"
#include "schedule/grammar.hpp"
#include "sim/program.hpp"
#include "sim/stealing.hpp"

namespace doall::bench {
namespace {

using namespace fine_grain;
using base::u64;
using rows = std::vector<paper_row>;

constexpr const char* half_barrier = "half-barrier";
constexpr const char* full_barrier = "full-barrier";

const sim::machine& machine() {
  static const sim::machine found = sim::find_machine("e7-4860");
  return found;
}

// --- A loop of T us, by each of Table 1's schedulers: how long it takes.

sim::launch team(bool flat = false, std::uint32_t on = threads) {
  return {on, threads / machine().domains, machine().messages, flat};
}

double by_next(double serial, const char* schedule, bool flat = false, std::uint32_t on = threads) {
  sim::launch all = team(flat, on);
  const sim::execution ran = sim::run_once({.schedule = stand_in_spec(schedule),
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

// The shipped one (DOALL_BARRIER=full): every launch is followed by an empty one, which is the join
// of the first barrier and the release of the second.
double by_shipped_full_barrier(double serial, std::uint32_t on) {
  return by_next(serial, "static", false, on) + by_next(0, "static", false, on);
}
double by_full_barrier(double serial) { return by_shipped_full_barrier(serial, threads); }

double by_openmp_static(double serial) { return by_intel(serial); }

double by_dynamic(double serial) { return by_next(serial, "dynamic"); }

double by_cilk(double serial) { return by_stealing(serial); }

// What uforall's own measuring takes of a loop. Fitted, on the tree's 24x: T - d.
constexpr double instrumentation = 16.32;
// How fast the longest loop is that was measured, whoever schedules it. Fitted, on the tree's 95 %.
constexpr double peak = 39.8;

struct scheduler {
  const char* name;
  double (*time)(double serial);
  double burden;  // printed, as all that follows
  double at_95;
  double at_24x;
  double at_5;

  // As uforall measures it, by each thread's part.
  double speed_up(double part) const {
    return threads * part / (instrumentation + time(threads * part));
  }

  // The shortest part that is so many times as fast: speed-ups grow with T.
  double part_at(double wanted) const {
    double low = 0.01;
    double high = 1e5;
    constexpr int halvings = 40;
    for (int k = 0; k < halvings; ++k) {
      const double middle = std::sqrt(low * high);
      (speed_up(middle) < wanted ? low : high) = middle;
    }
    return high;
  }

  // d, so that a loop of such parts takes d and one of them.
  double burden_at(double part) const { return time(threads * part) - part; }
};

const scheduler table_1_all[] = {
    {"fine-grain tree", by_the_tree, 5.67, 81.64, 21.99, 1.49},
    {"OpenMP static", by_openmp_static, 8.12, 84.30, 24.25, 1.54},
    {"fine-grain centralized", by_centralized, 7.55, 87.13, 24.42, 1.57},
    {"fine-grain tree with full barrier", by_full_barrier, 12.00, 88.03, 28.54, 1.62},
    {"OpenMP dynamic", by_dynamic, 31.94, 209.38, 41.54, 16.35},
    {"Cilk", by_cilk, 68.80, 264.07, 75.58, 16.51}};

const scheduler& tree = table_1_all[0];
const scheduler& cilk = table_1_all[5];

// d and o, by a column that says how long a part is that is so many times as fast.
double implied(double part, double speed_up) { return part * (threads / speed_up - 1); }

std::string implied_burdens(const scheduler& s) {
  return fmt::format(
      "with uforall's own overhead its columns imply burdens of {:.3g} us (d), {:.3g} us (95 %), "
      "{:.3g} us (24x) and {:.3g} us (5 %)",
      s.burden + instrumentation, implied(s.at_95, 0.95 * peak), implied(s.at_24x, 24),
      implied(s.at_5, 0.05 * peak));
}

// On which cell what it is made of was fitted; null: it is predicted.
const char* fitted_burden(const scheduler& s) {
  if (s.time == by_the_tree) return "e7-4860.json's message to another socket: this cell";
  if (s.time == by_centralized) return "e7-4860.json's line: this cell";
  if (s.time == by_cilk) return "e7-4860.json's theft: this cell";
  return nullptr;
}

rows table_1() {
  rows to;
  const std::string where = "Table 1";
  constexpr double half = 24;
  constexpr double most = 0.95 * peak;
  constexpr double least = 0.05 * peak;
  std::vector<double> at_half;
  for (const scheduler& s : table_1_all) {
    at_half.push_back(s.part_at(half));
    const auto add = [&](const char* column, double printed, double ours, const char* fitted) {
      paper_row made = value_row(where, fmt::format("{}, {}, us", s.name, column), printed, ours,
                                 implied_burdens(s));
      to.push_back(fitted == nullptr ? std::move(made) : fit(std::move(made), fitted));
    };
    const bool is_tree = &s == &tree;
    add("24x", s.at_24x, at_half.back(),
        is_tree ? "what uforall's measuring takes: this cell" : nullptr);
    add("d", s.burden, s.burden_at(at_half.back()), fitted_burden(s));
    add("95 % of peak", s.at_95, s.part_at(most), is_tree ? "uforall's peak: this cell" : nullptr);
    add("5 % of peak", s.at_5, s.part_at(least), nullptr);
    to.push_back(sum_row(where, fmt::format("{}: 24x, by its d and uforall's overhead", s.name),
                         s.at_24x, s.burden + instrumentation,
                         "its own columns imply another overhead than the other schedulers'"));
  }
  for (std::size_t k = 1; k < at_half.size(); ++k) {
    const scheduler& ahead = table_1_all[k - 1];
    const scheduler& behind = table_1_all[k];
    to.push_back(make_row(where, fmt::format("24x: {} before {}", ahead.name, behind.name),
                          printed_kind::order, 1, at_half[k - 1] / at_half[k], "see the values"));
  }
  return to;
}

// What the d column says of one scheduler and another.
rows burdens() {
  rows to;
  const auto d = [](const scheduler& s) { return s.burden_at(s.at_24x); };
  for (const scheduler& s : table_1_all) {
    if (&s == &tree) continue;
    paper_row made =
        gain_row("Section 5.1", fmt::format("burden of {} over fine-grain tree's", s.name),
                 s.burden / tree.burden, d(s) / d(tree),
                 "two full barriers are twice the half ones along any tree; and what accesses to "
                 "one line take that 48 processors want is not stated");
    const char* const fitted = fitted_burden(s);
    to.push_back(fitted == nullptr ? std::move(made) : fit(std::move(made), fitted));
  }
  return to;
}

rows figure_10() {
  constexpr double loop_us = 80;
  return {
      gain_row("Figure 10", "a loop of 80 us: fine-grain over Cilk", 2,
               tree.speed_up(loop_us) / cilk.speed_up(loop_us),
               fmt::format("by Table 1 a loop of 80 us gains {:.3g} at most, and 24 one of 75.58 "
                           "under Cilk: {:.3g}",
                           0.95 * peak, 0.95 * peak / 24))};
}

picture curves_10() {
  cli::chart made{.title = "Figure 10, uforall on 48 threads",
                  .x_label = "a thread's part, us",
                  .y_label = "speed-up",
                  .x_text = [](double us) { return fmt::format("{:g}", us); },
                  .axes = cli::scale::logarithmic,
                  .panels = {{"", {}}}};
  constexpr double first_us = 1;
  constexpr double last_us = 1000;
  constexpr double step = 1.5848931924611136;  // five a decade
  for (const scheduler& s : table_1_all) {
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
  return {make_row("Section 4.1", "reduction operations of 48 threads", printed_kind::count,
                   threads - 1, static_cast<double>(all.messages()),
                   "the tree has another number of joins")};
}

bool is_static(const std::string& asked) { return asked == "static"; }
bool is_cilk(const std::string& asked) { return asked == "ebs-simple,1"; }

// The paper's own idea is the half-barrier; Cilk is who it is compared with.
const paper_swaps swaps{
    "fine-grain",
    {{"all static", false,
      [](const std::string& asked) -> std::string { return is_cilk(asked) ? "static" : asked; }},
     {"all dynamic", false,
      [](const std::string& asked) -> std::string {
        return is_static(asked) || is_cilk(asked) ? "dynamic" : asked;
      }},
     {"chunks off by one", false,
      [](const std::string& asked) -> std::string {
        return asked == "dynamic" ? "dynamic,2" : asked;
      }},
     {"full barriers", true, [](const std::string& asked) -> std::string {
        return asked == half_barrier ? full_barrier : asked;
      }}}};

const paper_place places[] = {{"fine-grain", "Table 1", table_1},
                              {"fine-grain", "Section 4.1", reductions},
                              {"fine-grain", "Section 5.1", burdens},
                              {"fine-grain", "Figure 10", figure_10, curves_10}};

}  // namespace

// Nobody is released: idle workers look for work all the time. A schedule that does not split is
// dealt.
double fine_grain::by_stealing_once(double serial, u64 seed, std::uint32_t on, bool reduces) {
  const schedules::spec how = stand_in_spec("ebs-simple,1");
  if (how.which->splits == nullptr) return by_next(serial, "ebs-simple,1", false, on);
  const sim::machine& m = machine();
  const sim::nest loop{{{.iterations = 1, .inner = {1}}, {.iterations = on, .cost = serial / on}}};
  sim::stealing_setup setup{
      .schedule = how, .workers = on, .seed = seed, .prices = m.stealing.scaled(m.unit)};
  setup.prices.attempt = setup.prices.report = m.sync.central;
  setup.prices.theft = m.sync.stolen;
  if (reduces) {
    setup.prices.theft += m.sync.stolen;
    setup.prices.report += m.sync.stolen;
  }
  return sim::run_by_stealing(loop, setup).makespan;
}

double fine_grain::by_stealing(double serial, std::uint32_t on, bool reduces) {
  constexpr u64 seeds = 20;
  double sum = 0;
  for (u64 seed = 1; seed <= seeds; ++seed) sum += by_stealing_once(serial, seed, on, reduces);
  return sum / seeds;
}

double fine_grain::by_tree(double serial, std::uint32_t on, bool reduces) {
  if (stand_in(half_barrier) != full_barrier) return by_next(serial, "static", false, on);
  const double reduction = reduces ? by_next(0, "static", false, on) : 0;
  return by_shipped_full_barrier(serial, on) + reduction;
}

double fine_grain::by_intel(double serial, std::uint32_t on, bool reduces) {
  const sim::machine& m = machine();
  const intel_launch all(on, threads / m.domains, m.messages, m.sync.central);
  const sim::execution ran = sim::run_once({.schedule = stand_in_spec("static"),
                                            .shape = {on, on},
                                            .costs = sim::iteration_costs(serial / on),
                                            .prices = m.sync,
                                            .arrivals = all.begins()});
  std::vector<double> ends;
  for (const sim::worker_account& w : ran.workers) ends.push_back(w.left);
  return all.joined(ends, reduces);
}

picture fine_grain::speed_ups(const std::string& title, std::initializer_list<named_launch> all) {
  cli::curve ideal{"ideal", {}, {}, true};
  std::vector<cli::curve> curves;
  constexpr std::uint32_t teams[] = {1, 2, 4, 8, 12, 24, 36, threads};
  for (const named_launch& one : all) {
    cli::curve& made = curves.emplace_back(cli::curve{one.name, {}, {}});
    for (const std::uint32_t p : teams) {
      made.x.push_back(p);
      made.y.push_back(one.speed_up(p));
    }
  }
  for (const std::uint32_t p : teams) {
    ideal.x.push_back(p);
    ideal.y.push_back(p);
  }
  curves.push_back(std::move(ideal));
  return cli::chart{.title = title,
                    .x_label = "threads",
                    .y_label = "speed-up",
                    .x_text = [](double p) { return fmt::format("{:g}", p); },
                    .axes = cli::scale::linear,
                    .panels = {{"", std::move(curves)}}};
}

paper_row fine_grain::value_row(std::string where, std::string what, double printed, double ours,
                                std::string why) {
  return make_row(std::move(where), std::move(what), printed_kind::value, printed, ours,
                  std::move(why));
}

paper_row fine_grain::gain_row(std::string where, std::string what, double printed, double ours,
                               std::string why) {
  return make_row(std::move(where), std::move(what), printed_kind::gain, printed, ours,
                  std::move(why));
}

paper_row fine_grain::sum_row(std::string where, std::string what, double printed, double ours,
                              std::string why) {
  return arithmetic(make_row(std::move(where), std::move(what), printed_kind::sum, printed, ours,
                             std::move(why)));
}

void fine_grain::add_statistics(std::vector<paper_row>& to, const char* where, const char* program,
                                const char* needs, std::initializer_list<statistic> all) {
  for (const statistic& one : all) {
    to.push_back(input(
        value_row(where, fmt::format("{}: {}", program, one.what), one.printed, one.ours, needs)));
  }
}

}  // namespace doall::bench
