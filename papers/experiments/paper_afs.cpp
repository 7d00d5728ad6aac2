// AFS's tables (Markatos & LeBlanc, sections 4.5 and 4.6) by the shipped schedules.
//
// Table 2: a balanced loop of 200 million iterations that one of 8 processors is late to. Cells are
// judged as parts of the table's first. "The delay column represents the number of iterations one
// processor was delayed", but the times say that an iteration of the delay took less than one of
// the loop, r < 1:
//   - If nobody is idle, a loop of N iterations whose delay is as long as a of them takes
//     (N + a) / 8. That is GSS in rows 1 to 4: d N = 0.0625 N to 0.2031 N cost 2.31 s to 2.54 s.
//     With a = r d N the line through them has r = 0.74.
//   - In row 6 all columns agree, and 0.2031 N to 0.25 N adds more than an eighth of it: the loop
//     waits for the late processor alone, 2.9 s = r 0.25 N. With N from rows 1 to 4 that is
//     r = 0.65.
//   - Were r below 2/3, the delay of row 3 would end before the others are through with their own
//     N / 8. Under AFS with k = 2 the late processor would then take half of its untouched queue,
//     and the loop would take a good quarter longer than under GSS; the paper has 11 %.
// With the text's r = 1 row 6 would be 1.88 times row 1, and is 1.26 times. r is the one number
// fitted here, so that the largest deviation of all is least; any from 0.676 to 0.686 keeps 5 %.
//
// Tables 3 to 5: synchronisations of a loop. Those of a central queue follow from the rule alone;
// AFS's two columns are a queue's, the mean over the program's loops on the Iris's model, whose
// processors differ a little in speed from loop to loop: that is one number, fitted on Table 3's
// first remote cell. Table 1 has words, which are judged by what static blocks lose, and by what
// the Iris fetches.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>

#include "experiments/afs_programs.hpp"
#include "experiments/paper.hpp"
#include "schedule/grammar.hpp"
#include "sim/program.hpp"

namespace doall::bench {
namespace {

using base::u64;

struct column {
  const char* name;
  const char* schedule;
};

sim::execution run(const std::string& schedule, const sim::iteration_costs& costs,
                   schedules::loop_shape shape, double late = 0) {
  return sim::run_once(
      {.schedule = stand_in_spec(schedule), .shape = shape, .costs = costs, .arrivals = {late}});
}

// --- Table 2.

constexpr column late_columns[] = {{"GSS", "guided"},
                                   {"TRAPEZOID", "trapezoid"},
                                   {"FACTORING", "factoring"},
                                   {"AFS, k = 2", "affinity,k=2"},
                                   {"AFS, k = P", "affinity"}};

struct late_row {
  double delay;  // of N iterations
  double seconds[std::size(late_columns)];
};

constexpr late_row table_2[] = {
    {0.0625, {2.31, 2.34, 2.31, 2.42, 2.32}}, {0.125, {2.44, 2.44, 2.45, 2.59, 2.44}},
    {0.1875, {2.53, 2.54, 2.52, 2.82, 2.52}}, {0.2031, {2.54, 2.57, 2.54, 2.68, 2.54}},
    {0.2187, {2.58, 2.60, 2.58, 2.58, 2.58}}, {0.25, {2.90, 2.90, 2.90, 2.90, 2.90}},
};

double late_makespan(const char* schedule, double delay) {
  constexpr schedules::loop_shape shape{200'000'000, 8};
  constexpr double delay_iteration = 0.682;
  const double late = delay_iteration * delay * static_cast<double>(shape.iterations);
  return run(schedule, {}, shape, late).makespan();
}

std::vector<paper_row> late_start() {
  std::vector<paper_row> to;
  const double first = late_makespan(late_columns[0].schedule, table_2[0].delay);
  for (const late_row& row : table_2) {
    for (std::size_t c = 0; c < std::size(late_columns); ++c) {
      to.push_back(fit(make_row("Table 2",
                                fmt::format("{}, delay {} N, over the first cell",
                                            late_columns[c].name, row.delay),
                                printed_kind::gain, row.seconds[c] / table_2[0].seconds[0],
                                late_makespan(late_columns[c].schedule, row.delay) / first,
                                "one number is fitted for all cells"),
                       "an iteration of the delay takes 0.682 of one of the loop: Table 2, all 30 "
                       "cells"));
    }
  }
  return to;
}

// --- Tables 3 to 5.

constexpr column central_columns[] = {{"SS", "dynamic"},
                                      {"GSS", "guided,round=down"},
                                      {"FACTORING", "factoring"},
                                      {"TRAPEZOID", "trapezoid"}};

struct counts_row {
  std::uint32_t processors;
  double central[std::size(central_columns)];
  double remote;
  double local;
};

struct counts_table {
  const char* where;
  const char* program;
  schedules::u64 iterations;
  sim::program (*what)();
  u64 runs;  // with other seeds
  std::vector<counts_row> rows;
  const char* why_remote;
  const char* why_local;
};

std::vector<counts_table> counts_tables() {
  return {
      {"Table 3",
       "SOR",
       512,
       [] { return afs_virtual::relaxation(512, 200); },
       1,
       {{1, {512, 1, 10, 3}, 0, 1},
        {2, {512, 10, 18, 7}, 0.5, 7.3},
        {4, {512, 23, 32, 13}, 1.0, 16.8},
        {6, {512, 33, 50, 16}, 1.1, 21.8},
        {8, {512, 43, 56, 27}, 0.4, 27}},
       "speeds that differ are all that makes a processor late here: which of a bus's processors "
       "wait for it, and for how long, is not in the model",
       "256 rows that are halved take nine accesses; print and thefts add up to 7.8: the "
       "authors' owner takes more at once"},
      {"Table 4",
       "transitive closure",
       640,
       [] { return afs_virtual::clique_closure(640, 320); },
       1,
       {{1, {640, 1, 11, 3}, 0, 1},
        {2, {640, 11, 20, 7}, 1.5, 8.4},
        {4, {640, 23, 36, 13}, 2.1, 16.8},
        {6, {640, 34, 52, 18}, 1.1, 23.8},
        {8, {640, 45, 64, 22}, 0.7, 28.3}},
       "half of the clique's 320 rows must move, N / P^2 at a time at most: that is a theft a "
       "queue and loop on 8 processors at the least, and 0.7 are printed",
       "print and ours are the mean of loops with and without work"},
      {"Table 5",
       "adjoint convolution",
       5625,
       [] { return afs_virtual::shaped("triangular", 5625); },
       100,
       {{1, {5625, 1, 14, 3}, 0, 1},
        {2, {5625, 14, 29, 7}, 4, 11},
        {4, {5625, 31, 49, 14}, 6.75, 20.2},
        {6, {5625, 46, 69, 21}, 8.3, 29.3},
        {8, {5625, 61, 89, 28}, 9.87, 35.6}},
       "who comes when decides it on two processors",
       "who comes when decides it on two processors"}};
}

// Accesses to a queue, over all phases.
struct queue_means {
  double remote = 0;
  double local = 0;
};

// Each once for a schedule.
queue_means queues_of(const counts_table& t, std::uint32_t processors) {
  static std::map<std::tuple<std::string, std::string, std::uint32_t>, queue_means> all;
  constexpr const char* afs = "affinity,round=down";
  const auto [at, is_new] = all.try_emplace({t.where, stand_in(afs), processors});
  if (!is_new) return at->second;
  const sim::program what = t.what();
  const sim::machine iris = sim::find_machine("iris");
  const auto schedule = stand_in_spec(afs);
  queue_means found;
  double loops = 0;
  for (u64 seed = 1; seed <= t.runs; ++seed) {
    sim::run_program(what, iris, processors, schedule, seed, [&](u64, const sim::execution& e) {
      const sim::worker_account all = e.total();
      found.remote += static_cast<double>(all.remote);
      found.local += static_cast<double>(all.local);
      ++loops;
    });
  }
  return at->second = {found.remote / (loops * processors), found.local / (loops * processors)};
}

void add_queues(const counts_table& t, const counts_row& row, std::vector<paper_row>& to) {
  const queue_means found = queues_of(t, row.processors);
  const auto made = [&](const char* name, double printed, double ours, const char* why) {
    return make_row(t.where, fmt::format("{}, {}, P = {}", t.program, name, row.processors),
                    printed_kind::value, printed, ours, why);
  };
  paper_row remote = made("AFS remote", row.remote, found.remote, t.why_remote);
  const bool is_fitted = std::string_view(t.where) == "Table 3" && row.processors == 2;
  to.push_back(is_fitted ? fit(std::move(remote), "iris.json's jitter: this cell")
                         : std::move(remote));
  to.push_back(made("AFS local", row.local, found.local, t.why_local));
}

void add_counts(const counts_table& t, std::vector<paper_row>& to) {
  for (const counts_row& row : t.rows) {
    for (std::size_t c = 0; c < std::size(central_columns); ++c) {
      // Chunks of one queue follow from N and P alone, whatever iterations cost.
      const auto found = run(central_columns[c].schedule, {}, {t.iterations, row.processors});
      to.push_back(make_row(
          t.where,
          fmt::format("{}, {}, P = {}", t.program, central_columns[c].name, row.processors),
          printed_kind::count, row.central[c], static_cast<double>(found.chunks.size()),
          "the rule as the text has it gives another number in this one cell"));
    }
    add_queues(t, row, to);
  }
}

template <std::size_t Table>
std::vector<paper_row> counts() {
  std::vector<paper_row> rows;
  add_counts(counts_tables()[Table], rows);
  return rows;
}

// --- Table 1, in words: whether a program's loops are uneven, and whether they use their data
// again.

sim::program_run run_all(const sim::program& of, const char* schedule, const sim::machine& on,
                         const sim::loop_watcher& seen = {}) {
  return sim::run_program(of, on, on.processors, stand_in_spec(schedule), 1, seen);
}

// The busiest processor's time over the mean one's, under static blocks, of all loops together.
double imbalance_of(const sim::program& of) {
  const sim::machine free{.name = "without prices", .processors = 8};
  double busiest = 0;
  double mean = 0;
  run_all(of, "static", free, [&](u64, const sim::execution& e) {
    const double all = e.total().busy;
    busiest += e.imbalance() * all / free.processors;
    mean += all / free.processors;
  });
  return busiest / mean;
}

// Rows that are fetched when blocks stay with their processors, over those when any may have them.
// 0: there are none.
double fetched_of(const sim::program& of) {
  const sim::machine iris = sim::find_machine("iris");
  const u64 moved = run_all(of, "dynamic", iris).fetched;
  if (moved == 0) return 0;
  return static_cast<double>(run_all(of, "static", iris).fetched) / static_cast<double>(moved);
}

// The words as an order, since no number is said: none is less than little, and that than large.
// What has no data has no affinity: that is how those programs are made here.
std::vector<paper_row> words() {
  constexpr u64 size = 256;
  const sim::program sor = afs_virtual::relaxation(size, 8);
  const sim::program gauss = afs_virtual::elimination(size);
  const sim::program random = afs_virtual::random_closure(size);
  const sim::program clique = afs_virtual::clique_closure(size, size / 2);
  const sim::program adjoint = afs_virtual::shaped("triangular", 5625);
  const sim::program l4 = afs_virtual::l4();
  std::vector<paper_row> to;
  const auto made = [&](const char* what, printed_kind kind, double printed, double ours) {
    return make_row("Table 1", what, kind, printed, ours,
                    "the model's loops say the opposite of the word");
  };
  const auto add = [&](const char* what, printed_kind kind, double printed, double ours) {
    to.push_back(made(what, kind, printed, ours));
  };
  const double of_sor = imbalance_of(sor);
  const double of_gauss = imbalance_of(gauss);
  const double of_l4 = imbalance_of(l4);
  const double of_adjoint = imbalance_of(adjoint);
  add("SOR: imbalance, none", printed_kind::bound, 1, of_sor);
  add("imbalance: SOR, none, before Gauss elimination, little", printed_kind::order, 1,
      of_sor / of_gauss);
  add("imbalance: SOR, none, before L4, little", printed_kind::order, 1, of_sor / of_l4);
  add("imbalance: Gauss elimination, little, before adjoint convolution, large",
      printed_kind::order, 1, of_gauss / of_adjoint);
  add("imbalance: L4, little, before adjoint convolution, large", printed_kind::order, 1,
      of_l4 / of_adjoint);
  add("closure: imbalance, random graph before clique", printed_kind::order, 1,
      imbalance_of(random) / imbalance_of(clique));
  add("SOR: affinity, rows fetched by STATIC before SS", printed_kind::order, 1, fetched_of(sor));
  add("Gauss elimination: affinity, rows fetched by STATIC before SS", printed_kind::order, 1,
      fetched_of(gauss));
  add("closure: affinity, rows fetched by STATIC before SS", printed_kind::order, 1,
      fetched_of(random));
  to.push_back(input(
      made("adjoint convolution: affinity, none", printed_kind::bound, 0, fetched_of(adjoint))));
  to.push_back(input(made("L4: affinity, none", printed_kind::bound, 0, fetched_of(l4))));
  return to;
}

// Section 4.6 of Table 4: AFS goes to another processor's queue "only 5-10 % of the time".
std::vector<paper_row> remote_part() {
  constexpr double most = 0.10;
  double printed = 0;
  double ours = 0;
  double tables = 0;
  const counts_table closure = counts_tables()[1];
  for (const counts_row& row : closure.rows) {
    if (row.processors == 1) continue;
    const queue_means found = queues_of(closure, row.processors);
    printed += row.remote / (row.remote + row.local);
    ours += found.remote / (found.remote + found.local);
    ++tables;
  }
  constexpr const char* what = "transitive closure, AFS: part of the accesses that are remote";
  const auto made = [&](std::string of, double found, const char* why) {
    return make_row("Section 4.6", std::move(of), printed_kind::bound, most, found, why);
  };
  return {arithmetic(made(fmt::format("{}, by the table's own cells", what), printed / tables,
                          "its cells say more")),
          made(what, ours / tables, closure.why_remote)};
}

// Under the rules without AFS's two ideas: a queue for each processor, whose blocks stay; and
// thefts, of 1/P at a time.
bool is_afs(const std::string& asked) { return is_schedule(asked, "affinity"); }

const paper_swaps swaps{
    "afs",
    {{"all static", false, [](const std::string&) -> std::string { return "static"; }},
     {"all dynamic", false, [](const std::string&) -> std::string { return "dynamic"; }},
     {"the next chunk rule", false,
      [](const std::string& asked) -> std::string {
        if (asked == "guided,round=down") return "guided";
        if (asked == "guided") return "guided,k=2";
        if (asked == "factoring") return "guided,k=2";
        if (asked == "trapezoid") return "factoring";
        return is_schedule(asked, "dynamic") ? "dynamic,2" : asked;
      }},
     {"AFS owners take half", false,
      [](const std::string& asked) -> std::string {
        return is_afs(asked) ? asked + ",k=2" : asked;
      }},
     {"AFS thieves take a quarter", false,
      [](const std::string& asked) -> std::string {
        return is_afs(asked) ? asked + ",rob=4" : asked;
      }},
     {"AFS without its queues: guided", true,
      [](const std::string& asked) -> std::string { return is_afs(asked) ? "guided" : asked; }},
     {"AFS without its thefts: static", true,
      [](const std::string& asked) -> std::string { return is_afs(asked) ? "static" : asked; }}}};

const paper_place places[] = {{"afs", "Table 1", words},     {"afs", "Table 2", late_start},
                              {"afs", "Table 3", counts<0>}, {"afs", "Table 4", counts<1>},
                              {"afs", "Table 5", counts<2>}, {"afs", "Section 4.6", remote_part}};

}  // namespace
}  // namespace doall::bench
