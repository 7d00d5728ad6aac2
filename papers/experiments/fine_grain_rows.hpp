// What the files of `doall paper fine-grain` have in common.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "experiments/paper.hpp"

namespace doall::bench::fine_grain {

constexpr std::uint32_t threads = 48;
constexpr double a_quarter = 0.25;

// How long a loop of that length on one thread takes on all, or on so many, in us: release and join
// along the tree, and `static` between them (src/sim/machines/e7-4860.json).
double by_tree(double serial, std::uint32_t on = threads);

// The same under Cilk's stealing: of one seed, and the mean over some.
double by_stealing_once(double serial, std::uint64_t seed, std::uint32_t on = threads);
double by_stealing(double serial, std::uint32_t on = threads);

// A program's speed-ups on up to all threads.
picture speed_ups(const std::string& title, double (*speed_up)(std::uint32_t on));

paper_row row(std::string where, std::string what, printed_kind kind, double printed, double ours,
              std::string why, double apart = a_quarter);
paper_row ratio_row(std::string where, std::string what, double printed, double ours,
                    std::string why, double apart = a_quarter);
// What no model is of.
paper_row missing(std::string where, std::string what, double printed, std::string needs);

// Statistics of the authors' programs, in which no schedule has a part.
struct statistic {
  const char* what;
  double printed;
};
void add_missing(std::vector<paper_row>& to, const char* where, const char* program,
                 const char* needs, std::initializer_list<statistic> all);

}  // namespace doall::bench::fine_grain
