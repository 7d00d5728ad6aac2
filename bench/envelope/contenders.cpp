#include "envelope/contenders.hpp"

namespace doall::bench {
namespace {

void add_serial(roster& all, const contest& c) {
  lane_plan p{.runtime = serial_name, .door = "none", .program = "envelope-lane-serial"};
  if (c.pinned && !c.cpus.empty()) p.arguments.push_back(std::to_string(c.cpus.front()));
  if (all.add(p) == nullptr) all.take();  // throws: nobody is there
}

}  // namespace

const std::vector<std::string>& runtime_names() {
  static const std::vector<std::string> names{"doall", "libgomp", "libomp", "tbb"};
  return names;
}

contenders start_contenders(const contest& c) {
  roster all(c);
  add_serial(all, c);
  if (c.wants("doall")) {
    all.add({.runtime = "doall", .door = "native", .program = "envelope-lane-doall"});
    all.add(with_doall_libgomp({.runtime = "doall",
                                .door = "gomp",
                                .program = "envelope-lane-openmp-gcc",
                                .arguments = {"static", "runtime"},
                                .needs = "GCC"}));
  }
  if (c.wants("libgomp")) {
    all.add_openmp_peer({.runtime = "libgomp",
                         .door = "gomp",
                         .program = "envelope-lane-openmp-gcc",
                         .arguments = {"static"},
                         .needs = "GCC"});
  }
  if (c.wants("libomp")) {
    all.add_openmp_peer({.runtime = "libomp",
                         .door = "kmp",
                         .program = "envelope-lane-openmp-clang",
                         .arguments = {"static"},
                         .needs = "clang-19 and libomp-19-dev"});
  }
  if (c.wants("tbb")) {
    all.add(with_tbb_arena(
        {.runtime = "tbb", .door = "tbb", .program = "envelope-lane-tbb", .needs = "libtbb-dev"},
        c));
  }
  return all.take();
}

}  // namespace doall::bench
