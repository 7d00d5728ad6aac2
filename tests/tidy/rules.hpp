// The rules of the project, each a function over the whole tree. The table in
// rules.cpp is the list of them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "source.hpp"

namespace tidy {

struct violation {
  std::string path;
  std::size_t line = 0;
  std::string rule;
  std::string what;
};

// Collects violations of one rule.
class reporter {
 public:
  reporter(std::string_view rule, std::vector<violation>& to) : rule_(rule), to_(to) {}

  void operator()(const source& file, std::size_t line, const std::string& what) {
    (*this)(file.path, line, what);
  }
  void operator()(const std::string& path, std::size_t line, const std::string& what) {
    to_.push_back({path, line, rule_, what});
  }

 private:
  std::string rule_;
  std::vector<violation>& to_;
};

using tree = std::vector<source>;

// A room of src/ includes only what the table in layering.cpp lets it, and its tests include that
// and support/.
void check_layering(const tree& files, reporter& report);

// A file is at most 400 lines long, or says at its top why it is longer.
void check_length(const tree& files, reporter& report);

// Atomics, fences and volatile only in src/base/sync*.hpp.
void check_atomics(const tree& files, reporter& report);

// Calls that have a better one in the project.
void check_banned_calls(const tree& files, reporter& report);

// No marks of work left for later.
void check_leftovers(const tree& files, reporter& report);

// A schedule is named in its own header in src/schedule, and nowhere else in src/; the native API
// has a function for each.
void check_schedule_list(const tree& files, reporter& report);

// Nowhere else do three schedules or more stand in a row, but where second_lists.cpp says why.
void check_second_lists(const tree& files, reporter& report);

// Numbers of the decision what a loop gets are in src/decide/constants.hpp alone, but where
// tuned_numbers.cpp says why.
void check_tuned_numbers(const tree& files, reporter& report);

// What no other file includes, builds, runs or links to.
void check_dead_files(const tree& files, reporter& report);

// Rooms and headings that are named exist.
void check_rooms(const tree& files, reporter& report);

// An operation weaker than seq_cst has a number, an order and a partner that
// names it back, or says why it is alone.
void check_memory_orders(const tree& files, reporter& report);

// Pages are at most 100 columns wide, but for tables and what programs print.
void check_document_width(const tree& files, reporter& report);

struct rule {
  std::string_view name;
  void (*check)(const tree& files, reporter& report);
};

std::span<const rule> rules();

// All violations, rule by rule.
std::vector<violation> check_all(const tree& files);

}  // namespace tidy
