#include "burden/contenders.hpp"

#include <algorithm>
#include <array>

namespace doall::bench {
namespace {

// An empty iteration has no cost to go by.
std::vector<std::string> our_texts() {
  std::vector<std::string> texts = registry_texts();
  std::erase_if(texts, wants_costs);
  return texts;
}

// GCC's binary, the same file as libgomp's lane, with our library before its own.
void add_gomp_door(roster& all) {
  const lane_plan p = with_doall_libgomp(
      {.runtime = "doall", .door = "gomp", .program = "burden-lane-openmp-gcc", .needs = "GCC"});
  const lane_process* standard = all.add(p);
  if (standard == nullptr) return;
  // What omp_set_schedule() has no name for comes through OMP_SCHEDULE.
  const std::vector<std::string> known = standard->offers();
  for (const std::string& text : our_texts()) {
    if (std::ranges::count(known, "runtime:" + text) != 0) continue;
    lane_plan other = p;
    other.arguments = {text};
    other.variables.push_back("OMP_SCHEDULE=" + text);
    all.add(other);
  }
}

void add_tbb(roster& all, const contest& c) {
  lane_plan p{.runtime = "tbb", .door = "tbb", .program = "burden-lane-tbb", .needs = "libtbb-dev"};
  p.arguments.push_back(std::to_string(c.threads));
  if (c.pinned) {
    for (const int cpu : c.cpus) p.arguments.push_back(std::to_string(cpu));
  }
  all.add(p);
}

}  // namespace

const std::vector<std::string>& runtime_names() {
  static const std::vector<std::string> names{"doall", "libgomp", "libomp", "tbb"};
  return names;
}

contenders start_contenders(const contest& c) {
  roster all(c);
  if (c.wants("libgomp")) {
    all.add_openmp_peer({.runtime = "libgomp",
                         .door = "gomp",
                         .program = "burden-lane-openmp-gcc",
                         .needs = "GCC"});
  }
  if (c.wants("doall")) {
    add_gomp_door(all);
    all.add({.runtime = "doall",
             .door = "native",
             .program = "burden-lane-doall",
             .arguments = our_texts()});
  }
  if (c.wants("libomp")) {
    all.add_openmp_peer({.runtime = "libomp",
                         .door = "kmp",
                         .program = "burden-lane-openmp-clang",
                         .needs = "clang-19 and libomp-19-dev"});
  }
  if (c.wants("tbb")) add_tbb(all, c);
  return all.take();
}

std::string counterpart(const std::string& schedule) {
  struct pair {
    std::string_view partitioner;
    std::string_view openmp;
  };
  static constexpr std::array partitioners{
      pair{"static_partitioner", "static"},
      pair{"simple_partitioner,1", "dynamic,1"},
      pair{"auto_partitioner", ""},
      pair{"affinity_partitioner", ""},
  };
  const auto found = std::ranges::find(partitioners, schedule, &pair::partitioner);
  return found == partitioners.end() ? schedule : std::string(found->openmp);
}

}  // namespace doall::bench
