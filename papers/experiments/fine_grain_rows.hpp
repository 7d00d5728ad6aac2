// What the files of `doall paper fine-grain` have in common.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "experiments/paper.hpp"

namespace doall::bench::fine_grain {

constexpr std::uint32_t threads = 48;
// How long a loop of that length on one thread takes on all, or on so many, in us: release and join
// along the tree, and `static` between them (src/sim/machines/e7-4860.json). It asks for
// "half-barrier", in whose place "full-barrier" may stand: then a reduction takes one more, which
// is part of the half-barrier's join (section 4.1).
double by_tree(double serial, std::uint32_t on = threads, bool reduces = false);

// The same by Intel's OpenMP (fine_grain_launches.hpp).
double by_intel(double serial, std::uint32_t on = threads, bool reduces = false);

// The same under Cilk's stealing: of one seed, and the mean over some. A theft from a loop with a
// reducer makes a view and merges it: of that nothing is printed. Assumed: as much each as the
// theft itself.
double by_stealing_once(double serial, std::uint64_t seed, std::uint32_t on = threads,
                        bool reduces = false);
double by_stealing(double serial, std::uint32_t on = threads, bool reduces = false);

struct named_launch {
  const char* name;
  double (*speed_up)(std::uint32_t on);
};
// A program's speed-ups on up to all threads.
picture speed_ups(const std::string& title, std::initializer_list<named_launch> all);

paper_row value_row(std::string where, std::string what, double printed, double ours,
                    std::string why);
paper_row gain_row(std::string where, std::string what, double printed, double ours,
                   std::string why);
// The paper's own arithmetic.
paper_row sum_row(std::string where, std::string what, double printed, double ours,
                  std::string why);

// Statistics of the authors' programs, in which no schedule has a part; beside some, what our
// program of that name has.
struct statistic {
  const char* what;
  double printed;
  double ours = std::numeric_limits<double>::quiet_NaN();
};
void add_statistics(std::vector<paper_row>& to, const char* where, const char* program,
                    const char* needs, std::initializer_list<statistic> all);

}  // namespace doall::bench::fine_grain
