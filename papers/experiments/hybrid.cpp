// doall bench hybrid: loops that keep their data where it was while they balance, with the
// peers.
#include <fmt/format.h>
#include <algorithm>
#include <map>

#include "driver/comparison.hpp"
#include "driver/experiment.hpp"
#include "kernels/kernel.hpp"
#include "kernels/programs.hpp"
#include "kernels/strided.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

// The paper's claims: as good as static where that is right, and as whoever balances where it
// is not.
std::optional<bar> most(const std::string& program, const entrant& e) {
  constexpr bar balanced{.most = 1.02};
  constexpr bar ahead{.most = 1, .asked = bar::demand::ahead};
  constexpr bar unbalanced{.most = 1.03};
  if (e.who->door == one_worker_door || (e.is_ours() && e.who->door != "native")) return {};
  const bool is_static = family_of(e) == "doall native static";
  if (program.starts_with("balanced") && is_static) return balanced;
  if (!program.starts_with("unbalanced")) return {};
  if (is_static) return ahead;
  const bool balances = e.schedule != "static" && e.schedule != "static_partitioner";
  return balances ? std::optional(unbalanced) : std::nullopt;
}

// What the paper's microbenchmarks, and loops with a late worker, have (kernels/strided,
// kernels/late_start).
std::size_t strided_iterations(const std::string& size) { return size == "small" ? 100 : 4096; }
std::size_t late_iterations(const std::string& size) { return size == "small" ? 10'000 : 200'000; }

std::string strided_input(const std::string& program, const std::string& size) {
  const char letter = program.back();
  const working_set set = letter == 'S'   ? working_set::half_of_cache
                          : letter == 'M' ? working_set::all_of_cache
                                          : working_set::beyond_cache;
  const std::size_t bytes = size == "small" ? 100'000 : bytes_of(set);
  return fmt::format("{} arrays, {}", strided_iterations(size), cli::bytes_text(bytes));
}

// At the small size all classes are S (kernels/programs.hpp).
std::string nas_input(const std::string& program, const std::string& size) {
  static const std::map<std::string, std::map<char, const char*>> all{
      {"nas-ep", {{'S', "2^24 pairs"}, {'W', "2^25 pairs"}, {'A', "2^28 pairs"}}},
      {"nas-is", {{'S', "2^16 keys"}, {'W', "2^20 keys"}, {'A', "2^23 keys"}}},
      {"nas-cg", {{'S', "1,400 rows"}, {'W', "7,000 rows"}, {'A', "14,000 rows"}}},
      {"nas-mg", {{'S', "32^3 points"}, {'W', "128^3 points"}, {'A', "256^3 points"}}},
      {"nas-ft",
       {{'S', "64^3 points"}, {'W', "128 x 128 x 32 points"}, {'A', "256 x 256 x 128 points"}}},
  };
  const char of = size == "small" ? 'S' : program.back();
  return all.at(program.substr(0, program.rfind('-'))).at(of);
}

std::string late_input(const std::string& program, const std::string& size) {
  const auto row = std::ranges::find(late_rows, program, &late_row::program);
  return fmt::format("{} iterations, one worker late by as long as {} of them take",
                     late_iterations(size),
                     row->delay * static_cast<double>(late_iterations(size)));
}

std::string input(const std::string& program, const std::string& size) {
  if (program.starts_with("nas-")) return nas_input(program, size);
  if (program.starts_with("late-")) return late_input(program, size);
  return strided_input(program, size);
}

// libomp's static_steal has a whole lane, whose variable has the chunk (lane_kernels_openmp.cpp).
void add_static_steal(roster& all, const contest& c, std::vector<std::string> arguments,
                      std::size_t iterations) {
  if (!c.wants("libomp")) return;
  arguments.emplace_back("static_steal");
  lane_plan p = libomp_plan(kernel_lanes, std::move(arguments));
  p.variables = {fmt::format("OMP_SCHEDULE=static_steal,{}", chunk_of(iterations, c.threads))};
  all.add_openmp_peer(p);
}

void add_lanes(roster& all, const contest& c, const std::string& size) {
  add_static_steal(all, c, {"hybrid", size}, strided_iterations(size));
}

// A worker can be late, by the same delay for all, only inside of a region that is open: OpenMP's.
void add_late_lanes(roster& all, const contest& c, const std::string& size) {
  const std::vector<std::string> arguments{"hybrid", size, "late"};
  all.add(lane_set{.name = kernel_lanes,
                   .arguments = arguments,
                   .doors = {"gomp"},
                   .peers = {"libgomp", "libomp"}});
  add_static_steal(all, c, arguments, late_iterations(size));
}

void run_hybrid(const cli::arguments& args) {
  run_comparison(
      {.name = "hybrid",
       .purpose =
           "Loops that are run again and again on the same data: balanced and unbalanced ones of\n"
           "three working sets, and kernels of the NAS Parallel Benchmarks. hybrid, which deals\n"
           "each worker its own part and lets it steal, against static, dynamic and affinity\n"
           "schedules of every runtime, with the same chunks; everybody in turn in one run. Then "
           "a\n"
           "balanced loop that one worker comes late to (late-start-...).",
       .title = "Loops with affinity",
       .schedule = "hybrid",
       .by_default = "all but NAS's class A",
       .runs_by_default = [](const std::string& program) { return !program.ends_with("-A"); },
       .input = input,
       .most = most,
       .add_lanes = add_lanes,
       .add_side_lanes = add_late_lanes,
       .tells_affinity = true},
      args);
}

const experiment here{"hybrid", run_hybrid};

}  // namespace
}  // namespace doall::bench
