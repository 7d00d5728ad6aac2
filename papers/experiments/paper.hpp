// What a paper prints beside what the shipped schedules do in virtual time: rows, and their
// verdicts. `doall paper NAME`; a paper's tables are a file, its figures another.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "driver/bar_chart.hpp"
#include "text/chart.hpp"

namespace doall::bench {

// How a printed number is judged.
//   count   a whole number: the very same
//   ratio   within 15 %, unless the row says otherwise
//   factor  within a factor of two
//   order   ours is a ratio of the first's time over the other's, and below 1
//   bound   ours is no more, or by no more than `apart`
enum class printed_kind { count, ratio, factor, order, bound };

struct paper_row {
  std::string where;  // "Table 3", "Figure 4", "Section 5.3"
  std::string what;   // "GSS, P = 4"
  double printed = 0;
  double ours = 0;  // NaN: there is no model of it, and `why` says what it would need
  printed_kind kind = printed_kind::count;
  double apart = 0.15;   // of a ratio, or a bound
  std::string why = {};  // it is not reproduced, if it is not

  double ratio() const;  // ours over the printed one; 1 if both are 0
  bool is_held() const;
  // "reproduced"; "same order": within a factor of ten; "not reproduced: why".
  std::string verdict() const;
};

paper_row make_row(std::string where, std::string what, printed_kind kind, double printed,
                   double ours, std::string why, double apart = 0.15);

// The schedule that stands in for that one (--instead); itself if none does. Every row asks for its
// schedules by this.
const std::string& stand_in(const std::string& schedule);

// What a figure draws: the shipped schedules' curves, or bars where it compares programs.
using picture = std::variant<cli::chart, bar_chart>;

// A table or a figure declares itself, in its paper's file. Construct it before main() only.
class paper_place {
 public:
  using rows = std::vector<paper_row> (*)();
  using drawing = picture (*)();
  // `where`: as in the rows. `draw`: null if it draws nothing.
  paper_place(std::string_view paper, std::string_view where, rows reproduce,
              drawing draw = nullptr);
};

}  // namespace doall::bench
