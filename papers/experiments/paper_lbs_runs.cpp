#include "experiments/paper_lbs_runs.hpp"

#include <fmt/format.h>
#include <doall/doall.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include "driver/experiment.hpp"
#include "experiments/lbs_programs.hpp"
#include "experiments/paper.hpp"
#include "schedule/grammar.hpp"
#include "sim/machine.hpp"

namespace doall::bench::lbs_virtual {
namespace {

// What a column runs; SP with a tuned threshold is not among them.
const std::map<std::string, std::string>& schedules_of() {
  static const std::map<std::string, std::string> all = {
      {lbs, "lbs-innermost"},       {lbs_1, "lbs-innermost,1"},
      {lbs_plus, "lbs+"},           {one_tcu, "lbs+"},
      {ap_default, "ebs-auto,4,4"}, {ap_xmt, "ebs-auto,1,4"},
      {sp_1, "ebs-simple,1"},       {sws, "sws"},
      {si, "serial-inner"}};
  return all;
}

// "For SWS, SI, and SP with sst = 1 we always call the serial partition": the program as it is for
// one worker.
bool partitions_serially(const std::string& column) {
  return column == sws || column == si || column == sp_1;
}

// A run: its form, the number of processors, and the schedule.
struct run_of_program {
  bool is_serial = false;  // quicksort's other form
  std::uint32_t processors = 0;
  std::string schedule;

  auto operator<=>(const run_of_program&) const = default;
};

class all_programs {
 public:
  all_programs()
      : xmt_(sim::find_machine("xmt")),
        parallel_(lbs_programs(xmt_.processors)),
        for_one_(lbs_programs(1)) {}

  const std::map<std::string, of_program>& run_what_is_missing() {
    for (std::size_t i = 0; i < parallel_.size(); ++i) {
      const auto* const name = std::ranges::find_if(
          printed, [&](const printed_program& p) { return parallel_[i].name == p.name; });
      run_all(i, found_[name->paper_name]);
    }
    return found_;
  }

 private:
  sim::stealing_setup setup(const schedules::spec& schedule, std::uint32_t processors) const {
    return {
        .schedule = schedule, .workers = processors, .prices = xmt_.stealing, .deal = xmt_.deal};
  }

  // TBB's procedure with a power of two, as all of the paper's thresholds are.
  double threshold(const sim::nest& set) const {
    constexpr std::uint64_t largest = 8192;
    return static_cast<double>(
        tuned_threshold(set, setup(schedules::parse("ebs-simple,1").value, 1), largest));
  }

  // What each column runs, and what it was asked for as.
  std::map<std::string, std::string> asked_of(const of_program& program) const {
    std::map<std::string, std::string> all = schedules_of();
    all[sp_trained] = fmt::format("ebs-simple,{}", program.trained);
    all[sp_ideal] = fmt::format("ebs-simple,{}", program.ideal);
    return all;
  }

  run_of_program run_of(const std::string& program, const std::string& column,
                        const std::string& asked) const {
    return {program == "quicksort" && partitions_serially(column),
            column == one_tcu ? 1 : xmt_.processors, stand_in(asked)};
  }

  void run_all(std::size_t i, of_program& into) {
    const lbs_program& program = parallel_[i];
    show_progress(fmt::format("lbs: {}", program.name));
    std::optional<sim::nest> tree;
    if (into.work == 0) {
      into.trained = threshold(program.record(size::small));
      tree = program.record(size::paper);
      into.ideal = threshold(*tree);
      into.work = tree->works()[0];
    }
    struct task {
      run_of_program what;
      schedules::spec how;
      double makespan = 0;
    };
    std::vector<task> tasks;
    const auto asked = asked_of(into);
    for (const auto& [column, schedule] : asked) {
      task one{run_of(program.name, column, schedule), stand_in_that_splits(schedule)};
      if (done_[i].contains(one.what) ||
          std::ranges::find(tasks, one.what, &task::what) != tasks.end()) {
        continue;
      }
      tasks.push_back(std::move(one));
    }
    const auto is_serial = [](const task& t) { return t.what.is_serial; };
    sim::nest serial;
    if (std::ranges::any_of(tasks, is_serial)) serial = for_one_[i].record(size::paper);
    if (!tree && !std::ranges::all_of(tasks, is_serial)) tree = program.record(size::paper);
    parallel_for(
        std::size_t{0}, tasks.size(),
        [&](std::size_t t) {
          task& one = tasks[t];
          one.makespan = sim::run_by_stealing(one.what.is_serial ? serial : *tree,
                                              setup(one.how, one.what.processors))
                             .makespan;
        },
        schedule::dynamic());
    for (const task& one : tasks) done_[i][one.what] = one.makespan;
    for (const auto& [column, schedule] : asked) {
      into.makespans[column] = done_[i].at(run_of(program.name, column, schedule));
    }
  }

  sim::machine xmt_;
  std::vector<lbs_program> parallel_;
  std::vector<lbs_program> for_one_;
  std::map<std::size_t, std::map<run_of_program, double>> done_;  // by program
  std::map<std::string, of_program> found_;
};

}  // namespace

const std::map<std::string, of_program>& all_runs() {
  static all_programs all;
  return all.run_what_is_missing();
}

double mean_ratio(const char* column, const char* over) {
  const auto& all = all_runs();
  double sum = 0;
  for (const auto& [name, one] : all) sum += std::log(one.ratio(column, over));
  return std::exp(sum / static_cast<double>(all.size()));
}

}  // namespace doall::bench::lbs_virtual
