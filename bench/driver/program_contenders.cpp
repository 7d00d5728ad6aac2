#include "driver/program_contenders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace doall::bench {

const std::vector<std::string>& program_runtimes() {
  static const std::vector<std::string> names{"doall", "libgomp", "libomp", "tbb"};
  return names;
}

void add_program_options(cli::option_parser& options, program_choice& choice) {
  options.add_option("--size", choice.size, "The paper's sizes, or small ones for a test")
      ->check(CLI::IsMember({"paper", "small"}).description(""))
      ->type_name("paper|small");
  options
      .add_option("--programs", choice.programs,
                  choice.by_default.empty()
                      ? "Those whose names begin so; by default all"
                      : "Those whose names begin so; by default " + choice.by_default)
      ->delimiter(',')
      ->type_name("LIST");
}

void add_choice_options(cli::option_parser& options, program_choice& choice) {
  if (const char* graph = std::getenv("DOALL_BENCH_GRAPH")) choice.graph_file = graph;
  options
      .add_option("--graph", choice.graph_file,
                  "Runs the graph programs on this graph too; by default $DOALL_BENCH_GRAPH")
      ->type_name("FILE");
  add_program_options(options, choice);
}

void add_program_lanes(roster& all, const contest& c, const std::string& lanes,
                       const std::vector<std::string>& arguments) {
  const lane_plan gcc{.runtime = "libgomp",
                      .door = "gomp",
                      .program = lanes + "-openmp-gcc",
                      .arguments = arguments,
                      .needs = "GCC"};
  if (c.wants("doall")) {
    all.add({.runtime = "doall",
             .door = "native",
             .program = lanes + "-doall",
             .arguments = arguments,
             .compiler = own_compiler});
    lane_plan ours = with_doall_libgomp(gcc);
    ours.runtime = "doall";
    all.add(ours);
  }
  if (c.wants("libgomp")) all.add_openmp_peer(gcc);
  if (c.wants("libomp")) {
    all.add_openmp_peer({.runtime = "libomp",
                         .door = "kmp",
                         .program = lanes + "-openmp-clang",
                         .arguments = arguments,
                         .needs = "clang-19 and libomp-19-dev",
                         .compiler = "Clang"});
  }
  if (c.wants("tbb")) {
    all.add(with_tbb_arena({.runtime = "tbb",
                            .door = "tbb",
                            .program = lanes + "-tbb",
                            .arguments = arguments,
                            .needs = "libtbb-dev",
                            .compiler = own_compiler},
                           c));
  }
}

contenders start_program_lanes(const contest& c, const program_choice& choice) {
  std::vector<std::string> arguments{"programs", choice.size};
  if (!choice.graph_file.empty()) {
    std::error_code error;
    const auto file = std::filesystem::canonical(choice.graph_file, error);
    if (error) {
      throw cli::failure(cli::failed, fmt::format("no graph \"{}\": {}; nothing was run",
                                                  choice.graph_file, error.message()));
    }
    arguments.push_back(file.string());
  }

  roster all(c);
  add_program_lanes(all, c, kernel_lanes, arguments);
  contenders found = all.take();
  if (choice.graph_file.empty()) {
    found.left_out.emplace_back(
        "a graph from a file: neither --graph nor DOALL_BENCH_GRAPH names one");
  }
  return found;
}

std::vector<std::string> chosen_programs(const program_choice& choice,
                                         const std::vector<contender>& present) {
  const std::vector<std::string>& all = present.front().lane->offers();
  if (choice.programs.empty()) return all;
  std::vector<std::string> chosen;
  for (const std::string& wanted : choice.programs) {
    const std::size_t before = chosen.size();
    for (const std::string& name : all) {
      if (name.starts_with(wanted)) chosen.push_back(name);
    }
    if (chosen.size() == before) {
      throw cli::failure(cli::bad_usage,
                         fmt::format("unknown program \"{}\", expected the beginning of one of: {}",
                                     wanted, fmt::join(all, ", ")));
    }
  }
  return chosen;
}

std::vector<entrant> entrants_of(const std::string& program,
                                 const std::vector<contender>& present) {
  std::vector<entrant> all;
  for (const contender& c : present) {
    std::istringstream schedules(c.lane->ask("schedules " + program));
    for (std::string schedule; schedules >> schedule;) all.push_back({&c, schedule});
  }
  return all;
}

std::string name_of(const entrant& e) {
  return fmt::format("{} {} {}", e.who->runtime, e.who->door, e.schedule);
}

}  // namespace doall::bench
