#include "afs/contenders.hpp"

#include <algorithm>

#include "kernels/programs.hpp"

namespace doall::bench {
namespace {

// OpenMP's kinds, with chunk sizes from the least to one that balances a long loop.
const std::vector<std::string>& openmp_texts() {
  static const std::vector<std::string> texts{"static",    "static,1",   "dynamic,1",
                                              "dynamic,8", "dynamic,64", "guided"};
  return texts;
}

// The same chunk sizes for ours: nobody is tuned more than the others.
std::vector<std::string> our_texts() {
  std::vector<std::string> texts = registry_texts();
  for (const std::string& text : openmp_texts()) {
    if (std::ranges::count(texts, text) == 0) texts.push_back(text);
  }
  return texts;
}

std::vector<entrant> under(const std::vector<contender>& present,
                           const std::vector<std::string>& ours) {
  std::vector<entrant> all;
  for (const contender& c : present) {
    for (const std::string& text : c.runtime == "doall" ? ours : openmp_texts()) {
      const entrant e{&c, text};
      // An OpenMP program has no way to tell them.
      if (c.door != "native" && e.is_told_costs()) continue;
      all.push_back(e);
    }
  }
  return all;
}

}  // namespace

const std::vector<std::string>& afs_runtimes() {
  static const std::vector<std::string> names{"doall", "libgomp", "libomp"};
  return names;
}

const std::vector<std::string>& afs_doors() {
  static const std::vector<std::string> names{"native", "gomp"};
  return names;
}

bool entrant::is_told_costs() const { return is_ours() && wants_costs(schedule); }

contenders start_afs_lanes(const contest& c, const std::vector<std::string>& doors,
                           const std::string& size) {
  const auto open = [&](const std::string& door) {
    return c.wants("doall") && std::ranges::count(doors, door) != 0;
  };
  const lane_plan gcc{.runtime = "libgomp",
                      .door = "gomp",
                      .program = "afs-lane-openmp-gcc",
                      .arguments = {size},
                      .needs = "GCC"};
  roster all(c);
  if (open("native")) {
    all.add(
        {.runtime = "doall", .door = "native", .program = "afs-lane-doall", .arguments = {size}});
  }
  if (open("gomp")) {
    lane_plan p = with_doall_libgomp(gcc);
    p.runtime = "doall";
    all.add(p);
  }
  if (c.wants("libgomp")) all.add_openmp_peer(gcc);
  if (c.wants("libomp")) {
    all.add_openmp_peer({.runtime = "libomp",
                         .door = "kmp",
                         .program = "afs-lane-openmp-clang",
                         .arguments = {size},
                         .needs = "clang-19 and libomp-19-dev"});
  }
  return all.take();
}

std::vector<entrant> entrants_of(const std::string& program,
                                 const std::vector<contender>& present) {
  std::vector<entrant> all = under(present, our_texts());
  if (program != reversed_program) return all;
  for (entrant& e : all) {
    if (e.who->door == "native") e.schedule += ",order=reverse";
  }
  return all;
}

std::vector<entrant> late_entrants(const std::vector<contender>& present) {
  std::vector<std::string> ours = our_texts();
  ours.emplace_back("affinity,2");
  return under(present, ours);
}

}  // namespace doall::bench
