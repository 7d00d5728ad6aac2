// doall bench nests: the LBS paper's eight programs in virtual time, on more workers than this
// machine has.
//
// Each program's tree of loops is recorded once, with costs worked out from its sizes, and run by
// the stealing engine under each splitting schedule (sim/stealing.hpp): makespans and deque
// transactions, and the paper's comparisons beside ours. ebs-simple's threshold is tuned on the
// training set (experiments/lbs_programs.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "driver/experiment.hpp"
#include "experiments/lbs_programs.hpp"
#include "kernels/harness.hpp"
#include "sim/nest.hpp"
#include "sim/stealing.hpp"
#include "text/table.hpp"

namespace doall::bench {

namespace {

using namespace doall;
constexpr const char* name = "bench nests";

struct choice {
  std::string size = "paper";
  std::vector<std::string> programs;  // those whose names begin so; none: all
  std::uint32_t workers = 64;
  std::uint64_t seed = 1;
};

sim::stealing_result run(const sim::nest& tree, const std::string& schedule, std::uint32_t workers,
                         std::uint64_t seed) {
  return sim::run_by_stealing(
      tree, {.schedule = schedules::parse(schedule).value, .workers = workers, .seed = seed});
}

constexpr const char* tuned = "ebs-simple tuned";
constexpr const char* inner_first = "lbs-innermost";  // the paper's own decision

std::vector<std::string> all_auto() {
  std::vector<std::string> all;
  for (const char* k : {"1", "2", "4"}) {
    for (const char* v : {"1", "2", "4"}) {
      all.push_back(std::string("ebs-auto,") + k + "," + v);
    }
  }
  return all;
}

std::vector<std::string> all_schedules() {
  std::vector<std::string> all{"lbs",          inner_first, "lbs+",        tuned,
                               "ebs-simple,1", "sws",       "serial-inner"};
  for (const std::string& one : all_auto()) all.push_back(one);
  return all;
}

struct program_facts {
  std::string name;
  std::size_t loops;
  double work;
  std::uint64_t threshold;  // tuned
};

// Of one schedule, a figure a program.
struct outcome {
  std::vector<double> makespans;
  std::vector<double> transactions;
};

double mean_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::log(a[i] / b[i]);
  return std::exp(sum / static_cast<double>(a.size()));
}

// The programs, one after the other: only one has its trees in memory.
class comparison {
 public:
  explicit comparison(const choice& asked) {
    for (const lbs_program& p : lbs_programs(asked.workers)) {
      if (!is_asked_for(p.name, asked.programs)) continue;
      show_progress(fmt::format("recording {}", p.name));
      const std::uint64_t threshold = tuned_threshold(p.record(size::small));
      run_all(p.name, p.record(size_of(asked.size)), threshold, asked);
    }
    if (programs_.empty())
      throw cli::failure(cli::bad_usage, "--programs: no program has a name that begins so");
  }

  const outcome& of(const std::string& schedule) const { return outcomes_.at(schedule); }

  std::string best_auto() const {
    std::string best;
    for (const std::string& one : all_auto()) {
      if (best.empty() || mean_ratio(of(one).makespans, of(best).makespans) < 1) best = one;
    }
    return best;
  }

  const std::vector<program_facts>& programs() const { return programs_; }

 private:
  static bool is_asked_for(const std::string& program, const std::vector<std::string>& wanted) {
    return wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const auto& start) {
             return program.starts_with(start);
           });
  }

  void run_all(const std::string& program, const sim::nest& tree, std::uint64_t threshold,
               const choice& asked) {
    for (const std::string& schedule : all_schedules()) {
      show_progress(fmt::format("{} under {}", program, schedule));
      const auto result =
          run(tree, schedule == tuned ? "ebs-simple," + std::to_string(threshold) : schedule,
              asked.workers, asked.seed);
      outcome& all = outcomes_[schedule];
      all.makespans.push_back(result.makespan);
      all.transactions.push_back(static_cast<double>(result.total.transactions()));
    }
    programs_.push_back({program, tree.loops.size() - 1, tree.works()[0], threshold});
  }

  std::vector<program_facts> programs_;
  std::map<std::string, outcome> outcomes_;
};

// By how much time ours takes less. That is what the paper's percentages must be: read as
// ratio - 1, Figure 9's 54.2 % contradicts Table 4. Its serial inner loops have at most 11 branches
// on tsp and queens and 2 on qs, where LBS+ reaches 67.5, 62.5 and 52.1 times one processor. So the
// geometric mean is at least 2.08, and 1 - 1/2.08 = 52 %.
double reduction_percent(double ratio) { return 100 * (1 - 1 / ratio); }

// A comparison of section 5.
struct against {
  std::string schedule;
  std::string ours;
  const char* figure;
  double printed;  // percent
  double ratio;    // of the geometric means of makespans, the schedule's over ours

  std::string text() const { return schedule + (ours == "lbs" ? "" : " (of " + ours + ")"); }
};

std::vector<against> against_others(const comparison& all) {
  std::vector<against> made{
      {"ebs-auto,4,4", "lbs", "Figure 5", 38.9, 0}, {all.best_auto(), "lbs", "Figure 5", 16.2, 0},
      {tuned, "lbs", "Figure 6", 19.5, 0},          {"ebs-simple,1", "lbs", "Figure 8", 56.7, 0},
      {"sws", "lbs", "Figure 8", 54.7, 0},          {"serial-inner", "lbs+", "Figure 9", 54.2, 0}};
  for (against& one : made) {
    one.ratio = mean_ratio(all.of(one.schedule).makespans, all.of(one.ours).makespans);
  }
  return made;
}

nlohmann::ordered_json to_json(const comparison& all, const choice& asked) {
  nlohmann::ordered_json json{{"schema", "doall-bench-nests/1"},
                              {"size", asked.size},
                              {"workers", asked.workers},
                              {"seed", asked.seed}};
  json["against"] = nlohmann::ordered_json::array();
  for (const against& one : against_others(all)) {
    json["against"].push_back({{"schedule", one.schedule},
                               {"of", one.ours},
                               {"figure", one.figure},
                               {"ratio", one.ratio},
                               {"percent", reduction_percent(one.ratio)},
                               {"printed_percent", one.printed}});
  }
  const outcome& paper = all.of(inner_first);
  const outcome& ours = all.of("lbs");
  json["innermost_first"] = {
      {"schedule", inner_first},
      {"of", "lbs"},
      {"ratio", mean_ratio(paper.makespans, ours.makespans)},
      {"transactions_ratio", mean_ratio(paper.transactions, ours.transactions)}};
  return json;
}

void print(const comparison& all, const choice& asked) {
  const std::string best_auto = all.best_auto();
  const std::vector<std::string> rows{"lbs", inner_first,    "lbs+", "ebs-auto,4,4", best_auto,
                                      tuned, "ebs-simple,1", "sws",  "serial-inner"};
  std::vector<cli::table::column> columns{"makespan / lbs's"};
  for (const auto& p : all.programs()) columns.push_back('>' + p.name);
  columns.push_back(">geometric mean");
  cli::table times(columns);
  columns[0].title = "deque transactions / lbs's";
  cli::table transactions(columns);
  const outcome& lazy = all.of("lbs");
  for (const std::string& row : rows) {
    const outcome& one = all.of(row);
    std::vector<std::string> time_cells{row};
    std::vector<std::string> deque_cells{row};
    for (std::size_t i = 0; i < one.makespans.size(); ++i) {
      time_cells.push_back(fmt::format("{:.3f}", one.makespans[i] / lazy.makespans[i]));
      deque_cells.push_back(fmt::format("{:.1f}", one.transactions[i] / lazy.transactions[i]));
    }
    time_cells.push_back(fmt::format("{:.3f}", mean_ratio(one.makespans, lazy.makespans)));
    deque_cells.push_back(fmt::format("{:.1f}", mean_ratio(one.transactions, lazy.transactions)));
    times.add_row(time_cells);
    transactions.add_row(deque_cells);
  }
  cli::table facts({"program", ">loops", ">Mcycles", ">lbs's speed-up", ">tuned sst"});
  for (std::size_t i = 0; i < all.programs().size(); ++i) {
    const program_facts& p = all.programs()[i];
    facts.add_row({p.name, std::to_string(p.loops), fmt::format("{:.1f}", p.work / 1e6),
                   fmt::format("{:.1f}", p.work / lazy.makespans[i]), std::to_string(p.threshold)});
  }
  cli::table paper({"lbs against", ">paper", ">here", ">makespans' ratio"});
  for (const against& one : against_others(all)) {
    paper.add_row({one.text(), fmt::format("{:.1f}%", one.printed),
                   fmt::format("{:.1f}%", reduction_percent(one.ratio)),
                   fmt::format("{:.3f}", one.ratio)});
  }
  fmt::print(
      "{} virtual workers, seed {}, sizes of the paper's {} set (Table 2); ebs-simple is tuned on "
      "its training set\n\n{}\n{}\n{}\n{}",
      asked.workers, asked.seed, asked.size == "paper" ? "execution" : "training", facts.to_text(),
      times.to_text(), transactions.to_text(), paper.to_text());
}

void run_nests(const cli::arguments& args) {
  choice asked;
  cli::option_parser options(
      name, "[OPTIONS]",
      "The eight programs of the LBS paper in virtual time, under the splitting schedules:\n"
      "makespans, deque transactions, and the paper's comparisons beside ours. Nothing is timed:\n"
      "the same numbers on any machine.");
  options
      .add_option("--size", asked.size,
                  "The paper's execution set, which is the default, or small: its training set")
      .one_of({"paper", "small"})
      .shown_as("paper|small");
  add_programs_option(options, asked.programs);
  options
      .add_option("--workers", asked.workers,
                  fmt::format("Virtual workers; by default {}", asked.workers))
      .between(1U, 1024U)
      .shown_as("P");
  options.add_option("--seed", asked.seed, "Of the choice of victims; by default 1").shown_as("N");
  run_options files;
  add_json_option(options, files);
  if (!options.read(args)) return;
  result_file json(files.json_file);
  const comparison all(asked);
  show_progress("");
  print(all, asked);
  json.write(to_json(all, asked));
}

const experiment here{"nests", run_nests};

}  // namespace

}  // namespace doall::bench
