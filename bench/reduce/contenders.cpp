#include "reduce/contenders.hpp"

namespace doall::bench {

const std::vector<std::string>& runtime_names() {
  static const std::vector<std::string> names{"doall", "libgomp", "libomp", "tbb"};
  return names;
}

contenders start_contenders(const contest& c) {
  const lane_plan gcc{
      .runtime = "libgomp", .door = "gomp", .program = "reduce-lane-openmp-gcc", .needs = "GCC"};
  roster all(c);
  if (c.wants("doall")) {
    all.add({.runtime = "doall", .door = "native", .program = "reduce-lane-doall"});
    lane_plan ours = with_doall_libgomp(gcc);
    ours.runtime = "doall";
    all.add(ours);
  }
  if (c.wants("libgomp")) all.add_openmp_peer(gcc);
  if (c.wants("libomp")) {
    all.add_openmp_peer({.runtime = "libomp",
                         .door = "kmp",
                         .program = "reduce-lane-openmp-clang",
                         .needs = "clang-19 and libomp-19-dev"});
  }
  if (c.wants("tbb")) {
    all.add(with_tbb_arena(
        {.runtime = "tbb", .door = "tbb", .program = "reduce-lane-tbb", .needs = "libtbb-dev"}, c));
  }
  return all.take();
}

}  // namespace doall::bench
