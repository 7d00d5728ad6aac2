// What algorithms' lanes time beside sorting and running sums: loop forms and spaces, by name. Each
// works on arrays that are made for it, and its answer is compared with the serial form's.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace doall::bench {

struct work {
  std::size_t side = 0;  // of square arrays
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> c;
  std::vector<int> numbers;
  std::vector<int> results;
  std::vector<std::pair<int, int>> pairs;  // sorted by the first
  double sum = 0;
  std::size_t found = 0;

  bool operator==(const work&) const = default;
};

//   for           c = 2 a + b                        for-range     the same, by ranges
//   for-each      c = c + 1, over the container      nested-for    the same as `for`, row by row
//   reduce        the sum of a                       reduce-fixed  the same, the same bits each
//   time invoke        the sum of numbers, by halves      tasks         the same, by a group of
//   tasks find          the place of a number that is in the second half pack          numbers
//   below a half, in order     stable-sort   pairs, by their first transpose     b = a transposed
//   stencil       b = the mean of four neighbours product       c = a b
// and, by the standard's algorithms:
//   std-for-each, std-reduce, std-scan, std-sort, std-stable-sort, std-find, std-merge
using forms = std::map<std::string, std::function<void(work&)>>;

inline constexpr int half = 1 << 30;            // of all numbers
inline constexpr std::size_t short_sum = 2048;  // elements that `invoke` and `tasks` add up alone

// As many elements as asked for, or a few less: squares are square; a product has so many steps.
work work_for(const std::string& form, std::size_t elements);

forms serial_forms();

}  // namespace doall::bench
