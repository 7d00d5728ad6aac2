// What a paper prints beside what the shipped schedules do in virtual time: rows, and their
// verdicts. `doall paper NAME`; a paper's tables are a file, its figures another.
//
// A row proves something only if another schedule would make it fail. So each says of what class it
// is, and `--swaps` runs all of a paper's with other schedules in the places of those that they ask
// for (paper_swaps).
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "driver/bar_chart.hpp"
#include "schedule/grammar.hpp"
#include "text/chart.hpp"

namespace doall::bench {

// How a printed number is judged: the same tolerance for all rows of a kind (tolerance_of()).
//   count   a whole number: the very same
//   value   a number with a unit
//   gain    a ratio of two times, or 1 and what is gained: also by what it is away from 1, since
//           near 1 everything is alike
//   alike   a ratio of two times of which the prose says "comparable", "about the same"
//   factor  within a factor of two
//   order   ours is a ratio of the first's time over the other's, and below 1
//   bound   ours is no more
//   sum     the paper's own arithmetic: it prints rounded numbers
enum class printed_kind { count, value, gain, alike, factor, order, bound, sum };

// In words.
const char* tolerance_of(printed_kind kind);

// What a row that is reproduced says.
//   prediction  ours comes out of a model that has not seen the printed number
//   fit         a number of the model was chosen so that this cell, or cells that it is one of,
//               comes out
//   arithmetic  the paper's numbers, one by the others: no model has a part in it
//   input       a number that the model is given, or one of the authors' programs in which no
//               schedule has a part
enum class row_class { prediction, fit, arithmetic, input };

struct paper_row {
  std::string where;  // "Table 3", "Figure 4", "Section 5.3"
  std::string what;   // "GSS, P = 4"; with `where` it names the row
  double printed = 0;
  double ours = 0;  // NaN: there is no model of it, and `why` says what it would need
  printed_kind kind = printed_kind::count;
  std::string why = {};  // it is not reproduced, if it is not
  row_class is = row_class::prediction;
  std::string fitted = {};  // of a fit: what was chosen, and on which cells

  double ratio() const;  // ours over the printed one; 1 if both are 0
  bool is_held() const;
  // "reproduced"; "same order": within a factor of ten; "not reproduced: why".
  std::string verdict() const;
};

paper_row make_row(std::string where, std::string what, printed_kind kind, double printed,
                   double ours, std::string why);

// The same row of another class.
paper_row fit(paper_row row, std::string what_was_chosen);
paper_row arithmetic(paper_row row);
paper_row input(paper_row row);

// The schedule that stands in for that one (--instead, or a swap); itself if none does. Every row
// asks for its schedules by this, and whatever remembers a run knows it by what it returns.
std::string stand_in(const std::string& schedule);

// The same, parsed. Throws cli::failure when it is no schedule; the second one also when it does
// not split, for what only the stealing engine runs.
schedules::spec stand_in_spec(const std::string& schedule);
schedules::spec stand_in_that_splits(const std::string& schedule);

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

// Another schedule in the place of those that a paper's rows ask for. Predictions should notice:
// one that is reproduced whatever is run is weak.
struct paper_swap {
  const char* name;
  // Takes out what is the paper's own idea. Rows whose numbers one of these swaps changes are on
  // that idea, and one of these should break them; other rows, any swap.
  bool takes_idea_out;
  std::string (*instead)(const std::string& asked);  // the schedule itself: it stays
};

// A paper's, declared in one of its files. Construct it before main() only.
class paper_swaps {
 public:
  paper_swaps(std::string_view paper, std::vector<paper_swap> all);
};

// Whether it is that schedule, with whatever parameters.
bool is_schedule(std::string_view asked, std::string_view name);

}  // namespace doall::bench
