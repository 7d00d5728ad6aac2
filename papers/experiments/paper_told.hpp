// What `doall paper` makes of papers' rows before it prints them: for its own files.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/paper.hpp"

namespace doall::bench {

inline constexpr const char* reproduced = "reproduced";
inline constexpr const char* same_order = "same order";
inline constexpr const char* not_reproduced = "not reproduced";

const char* to_text(printed_kind kind);
const char* to_text(row_class is);

struct told_row {
  paper_row row;
  // What swaps made of it, if they were asked for.
  bool was_swapped = false;
  std::vector<std::string> falls_with = {};  // swaps with which it is not reproduced
  bool is_on_idea = false;                   // the paper's own: without it ours is another number
  bool falls_without_idea = false;

  // A prediction that is reproduced whatever is run.
  bool is_weak() const;
};

struct told_paper {
  std::string name;
  std::vector<told_row> rows;
  std::vector<std::string> swaps = {};  // that it was run with
};

struct tally {
  struct of_class {
    std::size_t all = 0;
    std::size_t held = 0;
    std::size_t near = 0;
  };
  std::array<of_class, 4> by_class = {};
  bool was_swapped = false;
  std::size_t weak = 0;
  std::size_t on_idea = 0;  // of the predictions that are reproduced
  std::size_t fall_without_idea = 0;

  void count(const told_row& r);
  std::string to_text(const std::string& name) const;
};

tally tally_of(const told_paper& one);
// How many of the reproduced predictions each swap leaves standing, a line a swap; "": none was
// run.
std::string swaps_text(const told_paper& one, const char* before_each);
tally tally_of_all(const std::vector<told_paper>& all);

// --- Swaps (paper_swaps.cpp).

// Has another schedule run wherever that one is asked for. Throws cli::failure (bad_usage).
void add_stand_in(const std::string& asked);
void remove_stand_ins();

// Throws cli::failure when a schedule was to be replaced that no row has asked for.
void expect_all_stand_ins_used();

struct told_place {
  std::string_view where;
  paper_place::rows reproduce;
  paper_place::drawing draw;
};

// All papers, their places in the order in which they declare themselves.
const std::map<std::string_view, std::vector<told_place>>& papers();

// Runs the places, and with `swapped` again with each of the paper's swaps. `running` is told what
// is being run. Throws std::logic_error if two rows have one name.
using told_what = std::function<void(const std::string& what)>;
told_paper tell_paper(
    std::string_view paper, const std::vector<told_place>& places, bool swapped,
    const told_what& running = [](const std::string&) {});

// --- How it is printed (paper_page.cpp).

std::string to_text(const told_paper& one);
std::string to_json_text(const std::vector<told_paper>& all);

// The page of all papers: pictures, tallies, what is not reproduced and why, what is weak.
// Pictures go into files beside `page`.
std::string to_markdown(const std::vector<told_paper>& all, const std::string& page);

}  // namespace doall::bench
