// LBS's Table 1 (Tzannes et al., section 3.1): deque transactions, synchronisation points and deque
// checks of a loop of N iterations. The engine itself counts, with scripted thieves.
//
//   worst         whatever is pushed is stolen at once, and its thief stolen from in its turn
//   intermediate  the deque is empty when the loop is met, and nobody steals
//   best          the deque has something of a loop around it, and nobody steals
//
// The paper assumes that N and t, the threshold, are powers of two, and t at most N / 2. Each
// formula is a row for one size, and is asked for all others in a row of their own.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "experiments/paper.hpp"
#include "schedule/grammar.hpp"
#include "steal/roster.hpp"
#include "steal/stint.hpp"

namespace doall::bench {
namespace {

using steal::u64;

struct operations {
  u64 transactions;
  u64 synchronisations;
  u64 checks;

  bool operator==(const operations&) const = default;
};

operations counted(const deque::counts& c) { return {c.transactions(), c.ends, c.checks}; }

// Runs a stay to its end.
template <class Env>
void run(steal::stint& stay, Env& env) {
  while (!stay.next(env).empty()) {
  }
}

struct nobody_steals {
  static void pushed(steal::worker_thread&, const steal::frame&, const steal::part&) {}
  static void completed(steal::worker_thread&) {}
};

// Each part that is pushed is stolen by a new worker, who runs it before the other goes on.
struct thief_at_once {
  std::vector<std::unique_ptr<steal::worker_thread>> thieves = {};

  void pushed(steal::worker_thread& victim, const steal::frame&, const steal::part&) {
    thieves.push_back(std::make_unique<steal::worker_thread>(1, 0, 1));
    steal::worker_thread& thief = *thieves.back();
    steal::descriptor taken;
    if (!steal::roster::steal_from(thief, &victim, nullptr, taken)) return;
    steal::stint stay(thief, taken);
    run(stay, *this);
    stay.report_to_starter(*this);
  }
  static void completed(steal::worker_thread&) {}
};

// One loop, met by a worker of its own.
class met_loop {
 public:
  met_loop(const schedules::spec& how, schedules::loop_shape shape) : how_(how), shape_(shape) {}

  operations worst() {
    thief_at_once env;
    meet(env);
    operations sum = counted(me_->done);
    for (const auto& thief : env.thieves) {
      const operations one = counted(thief->done);
      sum = {sum.transactions + one.transactions, sum.synchronisations + one.synchronisations,
             sum.checks + one.checks};
    }
    return sum;
  }

  operations intermediate() {
    nobody_steals env;
    meet(env);
    return counted(me_->done);
  }

  operations best() {
    steal::frame* const around = steal::begin(*me_, {.iterations = 2, .how = how_.which->splits});
    me_->own().push({around, {1, 2}});
    return intermediate();
  }

 private:
  template <class Env>
  void meet(Env& env) {
    steal::terms t{.iterations = shape_.iterations, .how = how_.which->splits};
    t.how->construct(t.rule, {.shape = shape_, .given = how_.given});
    steal::frame* const loop = steal::begin(*me_, t);
    steal::stint stay(*me_, *loop);
    run(stay, env);
    stay.report_as_starter();
  }

  schedules::spec how_;
  schedules::loop_shape shape_;
  std::unique_ptr<steal::worker_thread> me_ = std::make_unique<steal::worker_thread>(0, 0, 1);
};

// --- The formulas.

struct sizes {
  u64 n;
  u64 t;
};

struct formula_row {
  const char* name;
  std::string schedule;
  bool has_threshold;  // the schedule's parameter is t
  u64 least;           // the formula is for no fewer iterations
  sizes shown;         // and no more than in this row
  const char* which;
  operations (met_loop::*run)();
  std::function<operations(sizes)> printed;
};

u64 log2_of(u64 n) { return static_cast<u64>(std::log2(static_cast<double>(n))); }

constexpr std::uint32_t processors = 64;

// AP cuts a loop into K P parts whatever t is, if it has so many iterations; its worst case is
// printed for no more iterations than that: into single ones. But "AP performs K x P - 1 checks" is
// said of all three cases.
std::vector<formula_row> formulas() {
  constexpr sizes many{4096, 16};
  constexpr sizes few{processors, 1};
  constexpr u64 parts_of_auto = 4 * processors;
  const auto eager = [](u64 parts) { return operations{3 * parts / 2 - 1, parts, parts - 1}; };
  const auto all_stolen = [](u64 parts) { return operations{2 * (parts - 1), parts, parts - 1}; };
  const auto sp = [=](sizes s) { return eager(s.n / s.t); };
  const auto in_parts_of_t = [=](sizes s) { return all_stolen(s.n / s.t); };
  const auto one_by_one = [=](sizes s) { return all_stolen(s.n); };
  const auto sws = [](sizes s) { return operations{s.n, s.n, s.n - 1}; };
  const auto ap = [=](sizes) { return eager(parts_of_auto); };
  const auto ap_worst = [=](sizes s) { return operations{2 * (s.n - 1), s.n, parts_of_auto - 1}; };
  const auto lbs_alone = [](sizes s) {
    const u64 parts = s.n / s.t;
    return operations{log2_of(parts) + 1, log2_of(parts) + 1, parts - 1};
  };
  const auto lbs_best = [](sizes s) { return operations{0, 1, s.n / s.t - 1}; };
  const auto worst = &met_loop::worst;
  const auto middle = &met_loop::intermediate;
  const auto best = &met_loop::best;
  return {
      {"LBS", "lbs", true, 2, many, "worst", worst, in_parts_of_t},
      {"LBS", "lbs", true, 2, many, "intermediate", middle, lbs_alone},
      {"LBS", "lbs", true, 2, many, "best", best, lbs_best},
      {"SP", "ebs-simple", true, 2, many, "worst", worst, in_parts_of_t},
      {"SP", "ebs-simple", true, 2, many, "intermediate", middle, sp},
      {"SP", "ebs-simple", true, 2, many, "best", best, sp},
      {"AP", "ebs-auto,4,4", false, processors, few, "worst", worst, ap_worst},
      {"AP", "ebs-auto,4,4", false, parts_of_auto, many, "intermediate", middle, ap},
      {"AP", "ebs-auto,4,4", false, parts_of_auto, many, "best", best, ap},
      {"SWS", "sws", false, 2, many, "worst", worst, one_by_one},
      {"SWS", "sws", false, 2, many, "intermediate", middle, sws},
      {"SWS", "sws", false, 2, many, "best", best, sws},
  };
}

// What runs where that schedule is asked for with a threshold of t: another one with its own.
schedules::spec with_threshold(const formula_row& f, u64 t) {
  if (!f.has_threshold || stand_in(f.schedule) != f.schedule) {
    return stand_in_that_splits(f.schedule);
  }
  return stand_in_that_splits(fmt::format("{},{}", f.schedule, t));
}

operations measured(const formula_row& f, sizes s) {
  met_loop loop(with_threshold(f, s.t), {s.n, processors});
  return (loop.*f.run)();
}

double sizes_that_differ(const formula_row& f) {
  double differ = 0;
  for (u64 n = f.least; n <= f.shown.n; n *= 2) {
    for (u64 t = 1; t < (f.has_threshold ? n : 2); t *= 2) {
      differ += measured(f, {n, t}) == f.printed({n, t}) ? 0 : 1;
    }
  }
  return differ;
}

std::vector<paper_row> table_1() {
  std::vector<paper_row> rows;
  for (const formula_row& f : formulas()) {
    const operations printed = f.printed(f.shown);
    const operations ours = measured(f, f.shown);
    const bool is_worst_of_ap = std::string_view(f.name) == "AP" && f.shown.n == processors;
    const char* const why =
        is_worst_of_ap ? "K P - 1 checks are printed of all cases: a loop of N iterations, no more "
                         "than K P, that is cut into single ones makes N - 1"
                       : "the engine does other operations than the formula says";
    const auto add = [&](const std::string& what, double expected, double found) {
      rows.push_back(make_row("Table 1", fmt::format("{}, {}: {}", f.name, f.which, what),
                              printed_kind::count, expected, found, why));
    };
    const auto add_count = [&](const std::string& what, u64 expected, u64 found) {
      add(what, static_cast<double>(expected), static_cast<double>(found));
    };
    const std::string at = f.has_threshold ? fmt::format(", N = {}, t = {}", f.shown.n, f.shown.t)
                                           : fmt::format(", N = {}, P = {}", f.shown.n, processors);
    add_count("transactions" + at, printed.transactions, ours.transactions);
    add_count("synchronisation points" + at, printed.synchronisations, ours.synchronisations);
    add_count("deque checks" + at, printed.checks, ours.checks);
    add(fmt::format("sizes, up to N = {}, for which one of these differs", f.shown.n), 0,
        sizes_that_differ(f));
  }
  return rows;
}

bool is_lbs(const std::string& asked) {
  return is_schedule(asked, "lbs") || is_schedule(asked, "lbs-innermost") ||
         is_schedule(asked, "lbs+");
}

// The number after the name, plus one.
std::string plus_one(const std::string& asked) {
  const std::size_t comma = asked.find(',');
  if (comma == asked.npos) return asked;
  return fmt::format("{},{}", asked.substr(0, comma), std::stoull(asked.substr(comma + 1)) + 1);
}

// Loops inside of loops are not for static and dynamic: who meets one runs it all, or hands it out
// one iteration at a time. The paper's own idea is to split lazily; its rivals split at once.
const paper_swaps swaps{
    "lbs",
    {{"all static: serial-inner", false,
      [](const std::string&) -> std::string { return "serial-inner"; }},
     {"all dynamic: sws", false, [](const std::string&) -> std::string { return "sws"; }},
     {"chunks off by one", false, plus_one},
     {"rivals change places", false,
      [](const std::string& asked) -> std::string {
        if (asked == "sws") return "ebs-auto,4,4";
        if (is_schedule(asked, "ebs-simple")) return "sws";
        return is_schedule(asked, "ebs-auto") ? "ebs-simple,1" : asked;
      }},
     {"LBS splits the outermost loop", false,
      [](const std::string& asked) -> std::string {
        return is_schedule(asked, "lbs-innermost") ? "lbs" + asked.substr(13) : asked;
      }},
     {"LBS splits at once, into P parts: ebs-auto,1,4", true,
      [](const std::string& asked) -> std::string {
        return is_lbs(asked) ? "ebs-auto,1,4" : asked;
      }},
     {"LBS splits at once, into all: ebs-simple,1", true,
      [](const std::string& asked) -> std::string {
        return is_lbs(asked) ? "ebs-simple,1" : asked;
      }},
     {"LBS splits no inner loop: serial-inner", true, [](const std::string& asked) -> std::string {
        return is_lbs(asked) ? "serial-inner" : asked;
      }}}};

const paper_place here{"lbs", "Table 1", table_1};

}  // namespace
}  // namespace doall::bench
