#include "cli/chunk_picture.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <string_view>

#include "base/env.hpp"

namespace doall::cli {
namespace {

using schedules::origin;

constexpr std::size_t columns_least = 40;

// One cell of a picture. Style: the digits of a terminal's colour, or none.
struct cell {
  char symbol = ' ';
  std::string_view style;
};

struct brush {
  cell first;  // where a chunk begins
  cell rest;
};

constexpr brush own_brush{{'[', "32"}, {'=', "32"}};
constexpr brush central_brush{{'|', "36"}, {'-', "36"}};
constexpr brush stolen_brush{{'<', "33"}, {'~', "33"}};
constexpr cell waiting{'.', "2"};

const brush& brush_of(origin from) {
  switch (from) {
    case origin::own: return own_brush;
    case origin::central: return central_brush;
    case origin::stolen: break;
  }
  return stolen_brush;
}

constexpr std::string_view worker_symbols =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view worker_styles[] = {"31", "32", "33", "34", "35", "36"};

cell cell_of_worker(std::uint32_t w) {
  return {worker_symbols[w % worker_symbols.size()], worker_styles[w % std::size(worker_styles)]};
}

std::string to_text(std::span<const cell> row, const canvas& on) {
  std::string text;
  std::string_view style;
  for (const cell& c : row) {
    if (on.colours && c.style != style) {
      text += fmt::format("\x1b[{}m", c.style.empty() ? "0" : c.style);
      style = c.style;
    }
    text += c.symbol;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  if (!style.empty()) text += "\x1b[0m";
  return text;
}

std::string sample(const brush& b, const canvas& on) {
  const cell cells[] = {b.first, b.rest, b.rest};
  return to_text(cells, on);
}

// The label before a row, and its width.
constexpr std::size_t label_columns = 6;
std::string label(std::size_t number) { return fmt::format("{:>{}} ", number, label_columns - 1); }

std::size_t row_columns(const canvas& on) { return on.columns - label_columns; }

std::string left_out_line(const excerpt& rows, std::string_view what) {
  return fmt::format("{:>{}} {} more {}\n", "...", label_columns - 1, rows.left_out, what);
}

class timeline_rows {
 public:
  timeline_rows(std::size_t workers, std::size_t columns, double makespan)
      : columns_(columns), makespan_(makespan), rows_(workers, std::vector<cell>(columns)) {}

  void draw(const sim::dealt_chunk& d) {
    std::vector<cell>& row = rows_[d.worker];
    const std::size_t first = std::min(column_of(d.started), columns_ - 1);
    for (std::size_t c = column_after(d.asked); c < first; ++c) row[c] = waiting;
    const brush& b = brush_of(d.what.from);
    row[first] = b.first;
    for (std::size_t c = first + 1; c < column_after(d.finished); ++c) row[c] = b.rest;
  }

  const std::vector<cell>& row(std::size_t worker) const { return rows_[worker]; }

 private:
  double place_of(double time) const { return time / makespan_ * static_cast<double>(columns_); }
  std::size_t column_of(double time) const { return static_cast<std::size_t>(place_of(time)); }
  std::size_t column_after(double time) const {
    return std::min(static_cast<std::size_t>(std::ceil(place_of(time))), columns_);
  }

  std::size_t columns_;
  double makespan_;
  std::vector<std::vector<cell>> rows_;
};

}  // namespace

std::string time_text(double time) {
  const bool whole = time == std::floor(time) && time < 1e15;
  return whole ? fmt::format("{:.0f}", time) : fmt::format("{:.6g}", time);
}

canvas standard_output_canvas() {
  canvas on;
  if (isatty(STDOUT_FILENO) == 0) return on;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) on.columns = size.ws_col;
  on.columns = std::max(on.columns, columns_least);
  const bool refused = !base::env_text("NO_COLOR").value_or("").empty();
  on.colours = !refused && base::env_text("TERM").value_or("dumb") != "dumb";
  return on;
}

excerpt excerpt::of(std::size_t rows, std::size_t head, std::size_t tail) {
  if (rows <= head + tail) return {rows, 0, 0};
  return {head, tail, rows - head - tail};
}

std::string timeline(const sim::execution& e, const excerpt& shown, const canvas& on) {
  const double makespan = e.makespan();
  if (makespan == 0) return "No time passes: there is no picture of it.\n";
  timeline_rows rows(e.workers.size(), row_columns(on), makespan);
  for (const sim::dealt_chunk& d : e.chunks) rows.draw(d);
  std::string text =
      fmt::format("Workers from time 0 to {}: {} own chunk, {} central, {} stolen, . waits\n",
                  time_text(makespan), sample(own_brush, on), sample(central_brush, on),
                  sample(stolen_brush, on));
  for (std::size_t w = 0; w < e.workers.size(); ++w) {
    if (shown.breaks_at(w)) text += left_out_line(shown, "workers");
    if (shown.shows(w)) text += label(w) + to_text(rows.row(w), on) + '\n';
  }
  return text;
}

iteration_owners owners_of(const sim::execution& e, base::u64 iterations, const canvas& on) {
  const std::size_t columns = std::min<base::u64>(row_columns(on), iterations);
  // The iteration in the middle of each column stands for it.
  std::vector<base::u64> samples(columns);
  for (std::size_t c = 0; c < columns; ++c) {
    const base::u64 odd = 2 * base::u64{c} + 1;
    samples[c] = static_cast<base::u64>(base::u128{iterations} * odd / (base::u128{2} * columns));
  }
  iteration_owners owners(columns);
  for (const sim::dealt_chunk& d : e.chunks) {
    const auto begin = std::ranges::lower_bound(samples, d.what.begin);
    for (auto s = begin; s != samples.end() && *s < d.what.end; ++s) {
      const bool inside = (*s - d.what.begin) % d.what.step == 0;
      if (inside) owners[static_cast<std::size_t>(s - samples.begin())] = d.worker;
    }
  }
  return owners;
}

std::string iteration_map(const std::vector<iteration_owners>& runs, const excerpt& shown,
                          base::u64 iterations, const canvas& on) {
  if (iterations == 0) return "";
  std::string text = fmt::format(
      "Iterations 0 to {}, by the worker that ran them (0 to 9, a to z, A to Z, 0 again){}:\n",
      iterations - 1, runs.size() > 1 ? ", a row for each run" : "");
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (shown.breaks_at(r)) text += left_out_line(shown, "runs");
    if (!shown.shows(r)) continue;
    std::vector<cell> row;
    for (const std::uint32_t worker : runs[r]) row.push_back(cell_of_worker(worker));
    const std::string name = runs.size() > 1 ? label(r + 1) : std::string(label_columns, ' ');
    text += name + to_text(row, on) + '\n';
  }
  return text;
}

}  // namespace doall::cli
