// Rows of `doall paper`, and their verdicts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/paper_told.hpp"

namespace doall::bench {
namespace {

constexpr double of_a_value = 0.15;
constexpr double of_a_gain = 0.5;
constexpr double least_of_a_gain = 0.01;  // what a print of two digits does not tell apart
constexpr double comparable = 0.10;
constexpr double ahead = 0.01;
constexpr double over_a_bound = 0.05;
constexpr double rounded = 0.01;

bool is_gain(double printed, double ratio) {
  const double gained = std::abs(printed - 1) / printed;
  return std::abs(ratio - 1) <= std::clamp(of_a_gain * gained, least_of_a_gain, of_a_value);
}

}  // namespace

const char* to_text(printed_kind kind) {
  switch (kind) {
    case printed_kind::count: return "count";
    case printed_kind::value: return "value";
    case printed_kind::gain: return "gain";
    case printed_kind::alike: return "alike";
    case printed_kind::factor: return "factor";
    case printed_kind::order: return "order";
    case printed_kind::bound: return "bound";
    case printed_kind::sum: return "sum";
  }
  return "";
}

const char* to_text(row_class is) {
  switch (is) {
    case row_class::prediction: return "prediction";
    case row_class::fit: return "fit";
    case row_class::arithmetic: return "arithmetic";
    case row_class::input: return "input";
  }
  return "";
}

const char* tolerance_of(printed_kind kind) {
  switch (kind) {
    case printed_kind::count: return "the very number";
    case printed_kind::value: return "within 15 %";
    case printed_kind::gain: return "within 15 %, and half of what is gained or lost";
    case printed_kind::alike: return "within 10 %";
    case printed_kind::factor: return "within a factor of two";
    case printed_kind::order: return "less by 1 % at least";
    case printed_kind::bound: return "more by 5 % at most";
    case printed_kind::sum: return "within 1 %";
  }
  return "";
}

paper_row make_row(std::string where, std::string what, printed_kind kind, double printed,
                   double ours, std::string why) {
  return {std::move(where), std::move(what), printed, ours, kind, std::move(why)};
}

paper_row fit(paper_row row, std::string what_was_chosen) {
  row.is = row_class::fit;
  row.fitted = std::move(what_was_chosen);
  return row;
}

paper_row arithmetic(paper_row row) {
  row.is = row_class::arithmetic;
  return row;
}

paper_row input(paper_row row) {
  row.is = row_class::input;
  return row;
}

double paper_row::ratio() const { return printed == ours ? 1 : ours / printed; }

bool paper_row::is_held() const {
  if (std::isnan(ours)) return false;
  switch (kind) {
    case printed_kind::count: return printed == ours;
    case printed_kind::value: return std::abs(ratio() - 1) <= of_a_value;
    case printed_kind::gain: return is_gain(printed, ratio());
    case printed_kind::alike: return std::abs(ratio() - 1) <= comparable;
    case printed_kind::factor: return ratio() >= 0.5 && ratio() <= 2;
    case printed_kind::order: return ours <= printed * (1 - ahead);
    case printed_kind::bound: return ours <= printed * (1 + over_a_bound);
    case printed_kind::sum: return std::abs(ratio() - 1) <= rounded;
  }
  return false;
}

std::string paper_row::verdict() const {
  constexpr double tenfold = 10;
  if (is_held()) return reproduced;
  const bool is_number = kind != printed_kind::order && kind != printed_kind::bound;
  if (is_number && ratio() > 1 / tenfold && ratio() < tenfold) return same_order;
  return fmt::format("{}: {}", not_reproduced, why);
}

bool told_row::is_weak() const {
  if (!was_swapped || row.is != row_class::prediction || !row.is_held()) return false;
  return is_on_idea ? !falls_without_idea : falls_with.empty();
}

void tally::count(const told_row& r) {
  of_class& one = by_class[static_cast<std::size_t>(r.row.is)];
  const bool is_held = r.row.is_held();
  ++one.all;
  one.held += is_held ? 1 : 0;
  one.near += !is_held && r.row.verdict() == same_order ? 1 : 0;
  if (r.row.is != row_class::prediction) return;
  was_swapped |= r.was_swapped;
  weak += r.is_weak() ? 1 : 0;
  if (!is_held || !r.is_on_idea) return;
  ++on_idea;
  fall_without_idea += r.falls_without_idea ? 1 : 0;
}

std::string tally::to_text(const std::string& name) const {
  const auto& [all, held, near] = by_class[static_cast<std::size_t>(row_class::prediction)];
  std::string text =
      fmt::format("{}: {} of {} predictions reproduced, {} of the same order, {} not", name, held,
                  all, near, all - held - near);
  for (const row_class is : {row_class::fit, row_class::arithmetic, row_class::input}) {
    const of_class& one = by_class[static_cast<std::size_t>(is)];
    text += fmt::format("; {} {} of {}", bench::to_text(is), one.held, one.all);
  }
  if (!was_swapped) return text;
  return text + fmt::format(
                    "; {} of the reproduced predictions are weak; of {} on the paper's own idea {} "
                    "fall without it",
                    weak, on_idea, fall_without_idea);
}

tally tally_of(const told_paper& one) {
  tally counted;
  for (const told_row& r : one.rows) counted.count(r);
  return counted;
}

std::string swaps_text(const told_paper& one, const char* before_each) {
  const std::size_t held = tally_of(one).by_class[0].held;
  std::string text;
  for (const std::string& swap : one.swaps) {
    const auto fallen = std::ranges::count_if(one.rows, [&](const told_row& r) {
      return r.row.is == row_class::prediction && r.row.is_held() &&
             std::ranges::find(r.falls_with, swap) != r.falls_with.end();
    });
    text += fmt::format("{}{}: {} of {} stay\n", before_each, swap,
                        held - static_cast<std::size_t>(fallen), held);
  }
  return text;
}

tally tally_of_all(const std::vector<told_paper>& all) {
  tally counted;
  for (const told_paper& one : all) {
    for (const told_row& r : one.rows) counted.count(r);
  }
  return counted;
}

}  // namespace doall::bench
