// What a paper prints beside what the shipped schedules do in virtual time: rows, and their
// verdicts. `doall paper NAME`; one file a paper.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace doall::bench {

// How a printed number is judged.
//   count  a whole number: the very same
//   ratio  within 15 %, unless the row says otherwise
enum class printed_kind { count, ratio };

struct paper_row {
  std::string where;  // "Table 3"
  std::string what;   // "GSS, P = 4"
  double printed = 0;
  double ours = 0;
  printed_kind kind = printed_kind::count;
  double apart = 0.15;   // of a ratio
  std::string why = {};  // it is not reproduced, if it is not

  double ratio() const;  // ours over the printed one; 1 if both are 0
  // "reproduced"; "same order": within a factor of ten; "not reproduced: why".
  std::string verdict() const;
};

// A paper declares itself, in its own file. Construct it before main() only.
class paper {
 public:
  using rows = std::vector<paper_row> (*)();
  paper(std::string_view name, rows reproduce);
};

}  // namespace doall::bench
