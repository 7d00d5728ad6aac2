// The numbers by which it is decided what a loop gets stand in src/decide/constants.hpp, with their
// units, reasons and tests, and nowhere else. Looked at are the rooms that decide, or ask: a
// constant there that is a number of some unit fails here, unless it is of something else.
//
// A number of some unit: constexpr, named like one (..._ns, ..._times, ..._a_timing, ...), and set
// to a literal.
#include <algorithm>
#include <regex>
#include <string>

#include "rules.hpp"

namespace tidy {
namespace {

constexpr std::string_view the_place = "src/decide/constants.hpp";

struct number_that_stays {
  std::string_view path;
  std::string_view name;
  std::string_view reason;
};

// The numbers that stay. One that is no more fails, too.
constexpr number_that_stays numbers_that_stay[] = {
    {"include/doall/detail/plain_loop.hpp", "pieces_grow",
     "the headers include nothing of src; open_loops.cpp compares it"},
    {"include/doall/detail/open_loops.hpp", "iterations_a_count", "how often a nest looks"},
    {"include/doall/detail/open_reductions.hpp", "grains_a_piece", "how often a nest looks"},
    {"src/native/nested.cpp", "worth_sharing_ns", "LBS+'s threshold, from the paper"},
    {"src/native/nested.cpp", "runs_a_timing", "of nested loops, which are not decided"},
    {"src/native/looks.cpp", "look_ns", "how often a nest looks, and when it offers"},
    {"src/native/looks.cpp", "late_look_ns", "as look_ns"},
    {"src/native/looks.cpp", "offers_after_ns", "as look_ns"},
    {"src/native/looks.cpp", "wakes_after_ns", "as look_ns"},
    {"src/native/looks.cpp", "vain_offer_ns", "as look_ns"},
    {"src/native/looks.cpp", "vain_offer_most_ns", "as look_ns"},
    {"src/native/looks.cpp", "looks_a_timing", "as look_ns"},
    {"src/native/looks.cpp", "looks_a_timing_alone", "as look_ns"},
    {"src/native/open_loops.cpp", "nest_grain_ns", "as look_ns"},
    {"src/native/open_loops.cpp", "nest_grains_a_worker", "as look_ns"},
    {"src/native/open_loops.cpp", "enough_ns", "what a clock can tell"},
    {"src/native/outermost.cpp", "timings_a_look", "how often a loop is searched for others"},
    {"src/native/sharing.hpp", "worth_a_look_ns", "LBS's threshold, from the paper"},
    {"src/sites/site.hpp", "sites_a_block", "an allocation's size"},
    {"src/sites/small_loops.cpp", "runs_a_timing", "of a cost, which sizes pieces"},
    {"src/sites/small_loops.cpp", "out_of_proportion", "as runs_a_timing"},
};

bool has_numbers_elsewhere(const source& file) {
  static const char* const folders[] = {"src/decide/",
                                        "src/native/",
                                        "src/sites/",
                                        "src/omp/small_regions.",
                                        "src/omp/unnamed_loops.",
                                        "include/doall/detail/plain_loop.",
                                        "include/doall/detail/open_"};
  return file.is_cpp() && file.path != the_place &&
         std::ranges::any_of(folders, [&](const char* f) { return file.is_below(f); });
}

}  // namespace

void check_tuned_numbers(const tree& files, reporter& report) {
  static const std::regex number(
      R"(constexpr\s[\w:\s]*?\b(\w+(_ns|_times|_burdens|_part|_grow|_proportion|_a_\w+)|look_ns)\s*=\s*[0-9.])");
  std::vector<bool> seen(std::size(numbers_that_stay), false);
  for (const source& file : files) {
    if (!has_numbers_elsewhere(file)) continue;
    for (std::size_t i = 0; i < file.code.size(); ++i) {
      std::smatch match;
      if (!std::regex_search(file.code[i], match, number)) continue;
      const std::string name = match[1];
      const auto* const stays = std::ranges::find_if(
          numbers_that_stay,
          [&](const number_that_stays& e) { return e.path == file.path && e.name == name; });
      if (stays != std::end(numbers_that_stay)) {
        seen[static_cast<std::size_t>(stays - std::begin(numbers_that_stay))] = true;
        continue;
      }
      report(file, i + 1,
             name + " is a tuned number: numbers of the decision are in " + std::string(the_place) +
                 "; say in tests/tidy/tuned_numbers.cpp what else it is");
    }
  }
  for (std::size_t i = 0; i < std::size(numbers_that_stay); ++i) {
    const source* const file = find(files, numbers_that_stay[i].path);
    if (file != nullptr && !seen[i])
      report(*file, 1,
             "has no number " + std::string(numbers_that_stay[i].name) +
                 ", but tests/tidy/tuned_numbers.cpp lets it have one");
  }
}

}  // namespace tidy
