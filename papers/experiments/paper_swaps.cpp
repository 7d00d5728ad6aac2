// Which schedule is run where a paper's row asks for one: that one, the one of --instead, or a
// swap's. A swap is a mutation of all that a paper's rows run; what notices nothing proves nothing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "experiments/paper_told.hpp"
#include "process/failure.hpp"

namespace doall::bench {
namespace {

struct stand_in_for {
  std::string schedule;
  bool was_asked_for = false;
};

std::map<std::string, stand_in_for>& stand_ins() {
  static std::map<std::string, stand_in_for> all;
  return all;
}

std::map<std::string_view, std::vector<paper_swap>>& swaps_by_paper() {
  static std::map<std::string_view, std::vector<paper_swap>> all;
  return all;
}

std::map<std::string_view, std::vector<told_place>>& all_papers() {
  static std::map<std::string_view, std::vector<told_place>> all;
  return all;
}

const paper_swap* swapped_now = nullptr;

[[noreturn]] void refuse(const std::string& why) { throw cli::failure(cli::bad_usage, why); }

bool are_alike(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

paper_swaps::paper_swaps(std::string_view paper, std::vector<paper_swap> all) {
  auto& of_paper = swaps_by_paper()[paper];
  of_paper.insert(of_paper.end(), all.begin(), all.end());
}

bool is_schedule(std::string_view asked, std::string_view name) {
  return asked.substr(0, asked.find(',')) == name;
}

void add_stand_in(const std::string& asked) {
  const std::size_t colon = asked.find(':');
  const std::string other = colon == asked.npos ? "" : asked.substr(colon + 1);
  const auto parsed = schedules::parse(other);
  const bool is_launch = other == "full-barrier";  // what fine-grain has beside schedules
  if (colon == asked.npos || (!parsed && !is_launch)) {
    refuse(fmt::format("--instead={}: {}expected two schedules, A:B; nothing was run", asked,
                       parsed.error.empty() ? "" : parsed.error + "; "));
  }
  stand_ins()[asked.substr(0, colon)] = {other};
}

void remove_stand_ins() { stand_ins().clear(); }

void expect_all_stand_ins_used() {
  for (const auto& [schedule, other] : stand_ins()) {
    if (other.was_asked_for) continue;
    refuse(fmt::format("--instead={}:{}: no row asks for \"{}\"; nothing is printed", schedule,
                       other.schedule, schedule));
  }
}

std::string stand_in(const std::string& schedule) {
  const auto found = stand_ins().find(schedule);
  if (found != stand_ins().end()) {
    found->second.was_asked_for = true;
    return found->second.schedule;
  }
  return swapped_now != nullptr ? swapped_now->instead(schedule) : schedule;
}

schedules::spec stand_in_spec(const std::string& schedule) {
  const std::string text = stand_in(schedule);
  const auto parsed = schedules::parse(text);
  if (!parsed) {
    refuse(fmt::format("in the place of \"{}\": {}; nothing is printed", schedule, parsed.error));
  }
  return parsed.value;
}

schedules::spec stand_in_that_splits(const std::string& schedule) {
  const schedules::spec found = stand_in_spec(schedule);
  if (found.which->splits == nullptr) {
    refuse(
        fmt::format("\"{}\" in the place of \"{}\": expected a schedule that splits, as of nested "
                    "loops (`doall "
                    "schedules` says which do); nothing is printed",
                    stand_in(schedule), schedule));
  }
  return found;
}

namespace {

// As long as it lives, a swap's schedules run.
class swapping {
 public:
  explicit swapping(const paper_swap& swap) { swapped_now = &swap; }
  ~swapping() { swapped_now = nullptr; }
  swapping(const swapping&) = delete;
  swapping& operator=(const swapping&) = delete;
};

bool is_prediction(const paper_row& r) { return r.is == row_class::prediction; }

// Has one swap's rows told to those without it.
void compare(const paper_swap& swap, const std::vector<paper_row>& now, told_paper& told) {
  if (now.size() != told.rows.size()) {
    throw std::logic_error(fmt::format("{}: with {} other rows", told.name, swap.name));
  }
  for (std::size_t at = 0; at < now.size(); ++at) {
    told_row& before = told.rows[at];
    const bool falls = !now[at].is_held();
    if (falls) before.falls_with.emplace_back(swap.name);
    if (!swap.takes_idea_out) continue;
    before.is_on_idea |= !are_alike(before.row.ours, now[at].ours);
    before.falls_without_idea |= falls;
  }
}

void expect_unique(const told_paper& told) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const told_row& r : told.rows) {
    if (seen.emplace(r.row.where, r.row.what).second) continue;
    throw std::logic_error(
        fmt::format("{}: \"{}, {}\" stands twice", told.name, r.row.where, r.row.what));
  }
}

}  // namespace

told_paper tell_paper(std::string_view paper, const std::vector<told_place>& places, bool swapped,
                      const told_what& running) {
  const auto run = [&](const told_place& p, const std::string& how) {
    running(std::string(p.where) + how);
    return p.reproduce();
  };
  told_paper told{std::string(paper), {}};
  std::vector<std::vector<paper_row>> by_place;
  for (const told_place& p : places) {
    by_place.push_back(run(p, ""));
    for (const paper_row& row : by_place.back()) {
      told.rows.push_back({.row = row, .was_swapped = swapped});
    }
  }
  expect_unique(told);
  if (!swapped) return told;
  for (const paper_swap& swap : swaps_by_paper()[paper]) {
    told.swaps.emplace_back(swap.name);
    const swapping now(swap);
    std::vector<paper_row> all;
    for (std::size_t at = 0; at < places.size(); ++at) {
      // Only predictions are judged by it: AFS's Table 2, fits of 200 million iterations, stays.
      std::ranges::move(std::ranges::any_of(by_place[at], is_prediction)
                            ? run(places[at], fmt::format(", {}", swap.name))
                            : by_place[at],
                        std::back_inserter(all));
    }
    compare(swap, all, told);
  }
  return told;
}

const std::map<std::string_view, std::vector<told_place>>& papers() { return all_papers(); }

paper_place::paper_place(std::string_view paper, std::string_view where, rows reproduce,
                         drawing draw) {
  all_papers()[paper].push_back({where, reproduce, draw});
}

}  // namespace doall::bench
