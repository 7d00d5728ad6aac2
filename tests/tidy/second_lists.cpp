// There is one list of schedules, the registry. Three names of it or more in a row are a second
// one, which a new schedule would have to be added to, and which fails here.
//
// Names are looked for in C's and C++'s literals, a whole literal or parts of it between
// semicolons, and in the words of a script's line. A row of literals goes on to the next line.
// OpenMP's own words are no list: there are no others.
#include <algorithm>
#include <optional>
#include <regex>
#include <set>
#include <string>

#include "rules.hpp"
#include "schedule_names.hpp"

namespace tidy {
namespace {

constexpr std::size_t names_most = 2;

struct list_that_stays {
  std::string_view path;
  std::string_view reason;
};

// The lists that stay. A file that has none any more fails, too.
constexpr list_that_stays lists_that_stay[] = {
    {"papers/experiments/cows_prices.cpp", "COWS's three, whose reservations are priced"},
    {"papers/experiments/cows_virtual.cpp", "COWS's three, whose steals are compared"},
    {"papers/experiments/hybrid_platforms.hpp", "those of hybrid's figures"},
    {"papers/experiments/nests.cpp", "those of LBS's tables"},
    {"papers/experiments/paper_afs.cpp", "those of AFS's tables"},
    {"papers/experiments/paper_afs_figures.cpp", "those of AFS's figures"},
    {"papers/experiments/paper_cows.cpp", "COWS's seven, in the order that it prints"},
    {"papers/experiments/paper_lbs.cpp", "rows of LBS's Table 1"},
    {"papers/experiments/paper_cows_runs.cpp", "COWS's three, which have its lists and its c"},
    {"papers/experiments/paper_hybrid.cpp", "what stands in for hybrid"},
    {"papers/tests/unit_afs_today.cpp", "AFS's rivals that have one queue"},
    {"papers/experiments/paper_lbs_runs.cpp", "those that LBS compares"},
    {"papers/tests/unit_paper_swaps.cpp", "papers and rows that are quick"},
    {"harness/kernels/cows_kernel.hpp", "COWS's seven"},
    {"papers/lanes/lane_cows_openmp.cpp", "COWS's seven, as far as each library has them"},
    {"papers/lanes/lane_kernels_doall.cpp", "those of LBS's and of hybrid's figures"},
    {"papers/lanes/lane_kernels_openmp.cpp", "those of hybrid's figures"},
    {"papers/lanes/lane_kernels_tbb.cpp", "experiments that are called as schedules are"},
    {"papers/tests/bench_cows.cpp", "COWS's seven, which must have rows"},
    {"papers/tests/bench_hybrid.cpp", "those of hybrid's figures, which must have rows"},
    {"papers/tests/bench_lbs.cpp", "those of LBS's figures, which must have rows"},
    {"papers/tests/unit_cows_kernels.cpp", "COWS's three, whose steals are counted"},
    {"scripts/demo.sh", "the columns of a table that fits a screen"},
    {"tests/cli/chunks.sh", "prints that are written out: the papers' own chunks"},
    {"tests/costs/unit_loop_costs.cpp", "what each does with costs that it may not use"},
    {"tests/costs/unit_loop_costs_refused.cpp", "what each says of costs that are refused"},
    {"tests/e2e/doors/act.cpp",
     "links the library alone; what is run if nothing else is asked for"},
    {"tests/e2e/neighbour/exit_in_loops.cpp",
     "links the library alone: those with memory, and two"},
    {"tests/e2e/neighbour/refused_threads.cpp", "links the library alone, which tells no list"},
    {"tests/e2e/neighbour/tsan_native.cpp", "links the library alone, which tells no list"},
    {"tests/e2e/neighbour/unload.cpp", "links the library alone: one with memory, and two"},
    {"tests/native/unit_native.cpp", "those that deal 2^64 iterations in few chunks"},
    {"tests/native/unit_native_open_loops.cpp",
     "the native default's neighbours, by what they lack"},
    {"tests/native/unit_native_reduce_fixed.cpp", "a sample, at every position and team size"},
    {"tests/omp/costs.c", "what each says where the costs that it needs are missing"},
    {"tests/omp/fuzz_env.py", "values of OMP_SCHEDULE, right ones and others"},
    {"tests/plugin/names.sh", "what the clauses of its programs say"},
    {"tests/schedule/unit_afs_figures.cpp", "columns of AFS's figures"},
    {"tests/schedule/unit_grammar.cpp", "texts of options, each of a schedule that has it"},
    {"tests/schedule/unit_hybrid_virtual.cpp", "what hybrid's paper compares it with"},
    {"tests/schedule/unit_registry.cpp", "the order is an ABI: entries are only appended"},
    {"tests/schedule/unit_schedule_cows.cpp", "COWS's three, which have the same numbers"},
    {"tests/schedule/unit_schedule_flat_splitting.cpp",
     "LBS's five, whose decisions are worked out"},
    {"tests/loops/unit_loop_ring.cpp", "one that remembers between two that do not"},
};

const list_that_stays* exception_for(const source& file) {
  const auto* found = std::ranges::find(lists_that_stay, file.path, &list_that_stays::path);
  return found == std::end(lists_that_stay) ? nullptr : found;
}

bool is_script(const source& file) {
  return file.path.ends_with(".sh") || file.path.ends_with(".py") || file.is_below("completions/");
}

bool may_list_schedules(const source& file) {
  static const char* const folders[] = {"src/",     "include/", "tests/",   "bench/",
                                        "harness/", "papers/",  "scripts/", "completions/"};
  if (file.path == "include/doall/detail/named_schedules.hpp") return false;  // it is generated
  return (file.is_cpp() || is_script(file)) &&
         std::ranges::any_of(folders, [&](const char* f) { return file.is_below(f); });
}

struct use {
  std::size_t line;
  std::string name;
};

void add_names(const std::string& text, std::size_t line, const schedule_names& schedules,
               std::vector<use>& to) {
  static const std::regex part(R"(\s*([a-z][a-z+-]*)(,[^;]*)?\s*)");
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    const std::string one = text.substr(begin, end - begin);
    std::smatch match;
    if (std::regex_match(one, match, part) && schedules.names.contains(match[1])) {
      to.push_back({line, match[1]});
    }
    begin = end + 1;
  }
}

// In a script: words, of a line without its comment.
void add_words(const std::string& line, std::size_t number, const schedule_names& schedules,
               std::vector<use>& to) {
  static const std::regex word(R"([a-z][a-z+-]*)");
  const std::string code = line.substr(0, std::min(line.find("# "), line.size()));
  const std::sregex_iterator end;
  for (std::sregex_iterator m(code.begin(), code.end(), word); m != end; ++m) {
    if (schedules.names.contains(m->str())) to.push_back({number, m->str()});
  }
}

std::vector<use> uses_in(const source& file, const schedule_names& schedules) {
  std::vector<use> all;
  if (is_script(file)) {
    for (std::size_t i = 0; i < file.text.size(); ++i) {
      add_words(file.text[i], i + 1, schedules, all);
    }
  } else {
    for (const literal& l : file.literals) add_names(l.text, l.line, schedules, all);
  }
  return all;
}

// Where the file's first list begins.
std::optional<std::size_t> line_of_list(const std::vector<use>& uses, std::size_t gap_most) {
  std::set<std::string> row;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (i > 0 && uses[i].line > uses[i - 1].line + gap_most) row.clear();
    row.insert(uses[i].name);
    const bool is_openmp =
        std::ranges::all_of(row, [](const std::string& n) { return openmp_words().contains(n); });
    if (row.size() > names_most && !is_openmp) return uses[i].line;
  }
  return std::nullopt;
}

}  // namespace

void check_second_lists(const tree& files, reporter& report) {
  const schedule_names schedules = read_schedule_names(files);
  for (const source& file : files) {
    if (!may_list_schedules(file)) continue;
    const auto line = line_of_list(uses_in(file, schedules), is_script(file) ? 0 : 1);
    const list_that_stays* const stays = exception_for(file);
    if (line && stays == nullptr) {
      report(file, *line,
             "more than " + std::to_string(names_most) +
                 " schedules in a row: enumerate the registry, or say in "
                 "tests/tidy/second_lists.cpp why this list stays");
    }
    if (!line && stays != nullptr) {
      report(file, 1, "has no list of schedules, but tests/tidy/second_lists.cpp lets it have one");
    }
  }
}

}  // namespace tidy
