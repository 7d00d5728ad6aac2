// doall bench hybrid: loops that keep their data where it was while they balance, with the
// peers.
#include "stealing/benchmark.hpp"

namespace {

using namespace doall::bench;

bool is_one_of(const std::string& family, std::initializer_list<const char*> families) {
  for (const char* one : families) {
    if (family == one) return true;
  }
  return false;
}

// The paper's claims: as good as static where that is right, and as the best dynamic schedule
// where it is not.
std::optional<double> most(const std::string& program, const entrant& e) {
  constexpr double balanced = 1.02;
  constexpr double level = 1;
  constexpr double unbalanced = 1.03;
  const std::string family = family_of(e);
  const bool is_static = family == "doall native static";
  if (program.starts_with("balanced") && is_static) return balanced;
  if (!program.starts_with("unbalanced")) return {};
  if (is_static) return level;
  const bool balances = is_one_of(family, {"doall native dynamic", "libgomp gomp dynamic",
                                           "libomp kmp dynamic", "tbb tbb affinity_partitioner"});
  return balances ? std::optional(unbalanced) : std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  return run_stealing_benchmark(
      {.name = "hybrid",
       .purpose =
           "Loops that are run again and again on the same data: balanced and unbalanced ones of\n"
           "three working sets, and kernels of the NAS Parallel Benchmarks. hybrid, which deals\n"
           "each worker its own part and lets it steal, against static, dynamic and affinity\n"
           "schedules of every runtime, with the same chunks; everybody in turn in one run.",
       .title = "Loops with affinity",
       .schedule = "hybrid",
       .by_default = "all but NAS's class A",
       .runs_by_default = [](const std::string& program) { return !program.ends_with("-A"); },
       .most = most},
      argc, argv);
}
