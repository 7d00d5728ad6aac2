// Pictures of a loop in virtual time, for a terminal: what each worker did when, and which worker
// ran which iterations. Every picture is readable without colour.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/virtual_time.hpp"

namespace doall::cli {

struct canvas {
  std::size_t columns = 80;
  bool colours = false;
};

// A virtual time: "250", "12.3457".
std::string time_text(double time);

// The canvas for standard output: the terminal's width, and colours unless NO_COLOR is set. 80
// columns without colours when it is no terminal.
canvas standard_output_canvas();

// How many of a long list's rows are shown: the first and the last.
struct excerpt {
  std::size_t head;
  std::size_t tail;
  std::size_t left_out;

  // Shows all rows when there are no more than `head` + `tail`.
  static excerpt of(std::size_t rows, std::size_t head, std::size_t tail);

  bool shows(std::size_t row) const { return row < head || row >= head + left_out; }
  // Whether the line that says how many are left out goes before this row.
  bool breaks_at(std::size_t row) const { return left_out != 0 && row == head; }
};

// A row for each worker that `rows` shows: its chunks from time 0 to the makespan, with a legend.
std::string timeline(const sim::execution& e, const excerpt& rows, const canvas& on);

// A worker for each column of the loop's N iterations, as many columns as fit.
using iteration_owners = std::vector<std::uint32_t>;
iteration_owners owners_of(const sim::execution& e, base::u64 iterations, const canvas& on);

// A row for each run, with a legend.
std::string iteration_map(const std::vector<iteration_owners>& runs, const excerpt& rows,
                          base::u64 iterations, const canvas& on);

}  // namespace doall::cli
