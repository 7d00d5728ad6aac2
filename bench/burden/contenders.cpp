#include "burden/contenders.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace doall::bench {
namespace {

// The registry's. An empty iteration has no cost to go by.
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
    other.arguments = {"runtime:" + text};
    other.variables.push_back("OMP_SCHEDULE=" + text);
    all.add(other);
  }
}

void add_native_door(roster& all) {
  std::vector<std::string> schedules = our_texts();
  schedules.insert(schedules.begin(), "default");
  all.add({.runtime = "doall",
           .door = "native",
           .program = "burden-lane-doall",
           .arguments = std::move(schedules)});
}

// With two workers centralized and tree are the same: so with more too, as far as there are
// CPUs, besides as many as all others have.
std::vector<unsigned> team_sizes_of_variants(const contest& c) {
  std::vector<unsigned> sizes{c.threads};
  for (unsigned threads = 4; threads <= c.cpus.size(); threads *= 2) {
    if (threads != c.threads) sizes.push_back(threads);
  }
  return sizes;
}

// Both doors' static loop.
void add_variants(contenders& found, const contest& c) {
  for (const unsigned threads : team_sizes_of_variants(c)) {
    contest of_that_size = c;
    of_that_size.threads = threads;
    roster some(of_that_size);
    for (const char* variant : barrier_variants) {
      const lane_plan native{.runtime = "doall",
                             .door = "native",
                             .setting = variant,
                             .program = "burden-lane-doall",
                             .arguments = {"static"},
                             .variables = {variant}};
      lane_plan gomp = native;
      gomp.door = "gomp";
      gomp.program = "burden-lane-openmp-gcc";
      gomp.needs = "GCC";
      some.add(native);
      some.add(with_doall_libgomp(gomp));
    }
    contenders added = some.take();
    std::ranges::move(added.present, std::back_inserter(found.present));
    std::ranges::move(added.left_out, std::back_inserter(found.left_out));
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
    add_native_door(all);
  }
  if (c.wants("libomp")) {
    all.add_openmp_peer({.runtime = "libomp",
                         .door = "kmp",
                         .program = "burden-lane-openmp-clang",
                         .needs = "clang-19 and libomp-19-dev"});
  }
  if (c.wants("tbb")) add_tbb(all, c);
  contenders found = all.take();
  if (c.wants("doall")) add_variants(found, c);
  return found;
}

bool is_barrier_variant(const std::string& setting) {
  return std::ranges::find(barrier_variants, setting) != barrier_variants.end();
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
