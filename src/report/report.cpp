#include "report/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/file_text.hpp"
#include "process/say.hpp"
#include "text/table.hpp"
#include "text/version.hpp"

namespace doall::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using observe::record;
using observe::report;
using observe::site_kind;

// The file that holds the loop. The dynamic linker knows the main program only by argv[0], which
// need not be a path from here.
std::string module_file(const record& r, const report& process) {
  const fs::path module = r.module;
  if (module.is_absolute()) return r.module;
  const fs::path program = process.program;
  std::error_code ignored;
  if (module.filename() != program.filename() && fs::exists(module, ignored)) return r.module;
  return process.program;
}

bool is_report(const fs::directory_entry& file) {
  return file.path().filename().string().starts_with("report.");
}

std::uint64_t total_ns(const report& process) {
  return std::accumulate(process.records.begin(), process.records.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const record& r) { return sum + r.wall_time; });
}

std::string or_dash(std::optional<double> value, std::string (*text)(double)) {
  return value ? text(*value) : "-";
}

std::string ratio_text(double value) { return fmt::format("{:.2f}", value); }

std::optional<double> part(double of, double whole) {
  return whole > 0 ? std::optional(of / whole) : std::nullopt;
}

// The loops that were shared by stealing; empty if there are none.
std::string stealing_table(const report& process) {
  table rows({{"where"},
              {"kind"},
              {"splits", align::right},
              {"transactions", align::right},
              {"checks", align::right},
              {"syncs", align::right},
              {"steals", align::right},
              {"tried", align::right},
              {"lost", align::right},
              {"claims", align::right},
              {"failed", align::right}});
  bool any = false;
  for (const record& r : process.records) {
    const deque::counts& c = r.stealing;
    if (c == deque::counts{}) continue;
    any = true;
    std::vector<std::string> cells{where_text(r), std::string(name_of(r.kind))};
    for (const std::uint64_t n : {c.splits, c.transactions(), c.checks, c.ends, c.stolen, c.tried,
                                  c.lost, c.claims, c.failed_claims}) {
      cells.push_back(std::to_string(n));
    }
    rows.add_row(std::move(cells));
  }
  return any ? "\n" + rows.to_text() : "";
}

// What a loop's or a region's records of all ranks say together.
struct over_ranks {
  const record* any = nullptr;
  std::vector<double> busy;  // by rank
  record sum;
  std::uint64_t longest = 0;  // of the ranks' wall times

  // 1.00: all ranks were busy for as long.
  std::optional<double> between() const {
    const double all = std::accumulate(busy.begin(), busy.end(), 0.0);
    return part(std::ranges::max(busy) * static_cast<double>(busy.size()), all);
  }
};

// By place and kind, the longest first; empty if the reports are of no MPI job.
std::vector<over_ranks> summed_over_ranks(const std::vector<report>& reports) {
  int ranks = 0;
  for (const report& process : reports) ranks = std::max(ranks, process.rank + 1);
  std::vector<over_ranks> all;
  for (const report& process : reports) {
    if (process.rank < 0) continue;
    for (const record& r : process.records) {
      const auto same = [&](const over_ranks& o) {
        return o.any->kind == r.kind && o.any->door == r.door && o.any->module == r.module &&
               o.any->offset == r.offset && o.any->file == r.file && o.any->line == r.line;
      };
      auto found = std::ranges::find_if(all, same);
      if (found == all.end()) {
        found = all.insert(all.end(),
                           {&r, std::vector<double>(static_cast<std::size_t>(ranks)), {}, 0});
      }
      found->busy[static_cast<std::size_t>(process.rank)] += static_cast<double>(r.busy_time);
      observe::add_numbers(found->sum, r);
      found->longest = std::max(found->longest, r.wall_time);
    }
  }
  std::ranges::stable_sort(all, std::greater{}, &over_ranks::longest);
  return all;
}

std::string ranks_table(const std::vector<report>& reports) {
  const auto all = summed_over_ranks(reports);
  if (all.empty()) return "";
  table rows({{"where"},
              {"kind"},
              {"calls", align::right},
              {"iterations", align::right},
              {"time", align::right},
              {"efficiency", align::right},
              {"overhead", align::right},
              {"between ranks", align::right},
              {"inside", align::right}});
  for (const over_ranks& o : all) {
    rows.add_row(
        {where_text(*o.any), std::string(name_of(o.any->kind)), std::to_string(o.sum.calls),
         o.any->kind == site_kind::region ? "-" : std::to_string(o.sum.iterations),
         duration_text(static_cast<double>(o.longest)),
         or_dash(parallel_efficiency(o.sum), percent_text), or_dash(overhead(o.sum), percent_text),
         or_dash(o.between(), ratio_text), or_dash(imbalance(o.sum), ratio_text)});
  }
  return fmt::format(
      "\nall {} ranks\n{}between ranks: busiest rank / mean; inside: busiest worker "
      "/ mean of its rank; time: of the rank that took longest\n",
      all.front().busy.size(), rows.to_text());
}

}  // namespace

namespace {

// "f(int)", "f(int) const" as "f".
std::string without_parameters(const std::string& function) {
  const auto end = function.rfind(')');
  if (end == std::string::npos) return function;
  std::size_t open = 0;
  for (std::size_t at = end + 1; at-- > 0;) {
    if (function[at] == ')') ++open;
    if (function[at] == '(' && --open == 0) return function.substr(0, at);
  }
  return function;
}

// The exported caller's name as its source has it.
void demangle_caller(record& r) {
  const auto plus = r.caller.rfind('+');
  if (plus == std::string::npos) return;
  r.caller = without_parameters(readable_name(r.caller.substr(0, plus))) + r.caller.substr(plus);
}

// A loop in a region of a library without symbols is known by the region.
void name_by_regions(report& process) {
  for (record& r : process.records) {
    if (!r.function.empty() || !r.file.empty() || !r.caller.empty() || r.region == 0) continue;
    for (const record& region : process.records) {
      const bool is_around = region.kind == site_kind::region && region.module == r.module &&
                             region.offset == r.region;
      if (is_around) r.caller = region.caller;
    }
  }
}

}  // namespace

void add_symbols(report& process, symbol_finder& symbols) {
  for (record& r : process.records) {
    r.module = module_file(r, process);
    const bool told = !r.file.empty() && !r.function.empty();
    if (told || r.module.empty()) continue;
    const source_place found = symbols.find(r.module, r.offset);
    if (r.function.empty()) r.function = found.function;
    if (r.file.empty()) {
      r.file = found.file;
      r.line = found.line;
    }
  }
  for (record& r : process.records) demangle_caller(r);
  name_by_regions(process);
}

std::string where_text(const record& r) {
  constexpr std::size_t function_columns = 44;
  const std::string module = fs::path(r.module).filename().string();
  std::string place = r.file.empty()
                          ? fmt::format("{}+{:#x}", module, r.offset)
                          : fmt::format("{}:{}", fs::path(r.file).filename().string(), r.line);
  if (r.function.empty() && r.file.empty() && !r.caller.empty())
    return fmt::format("{}!{}", module, shortened(r.caller, function_columns));
  if (r.function.empty()) return place;
  return fmt::format("{} ({})", shortened(r.function, function_columns), place);
}

bool has_reports(const fs::path& folder) {
  std::error_code error;
  return std::ranges::any_of(fs::directory_iterator(folder, error), is_report);
}

std::vector<report> gather_reports(const fs::path& folder) {
  std::vector<report> reports;
  symbol_finder symbols;
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(folder, error)) {
    if (!is_report(file)) continue;
    try {
      reports.push_back(observe::read_report(base::contents(file.path()).value_or("")));
    } catch (const std::runtime_error& e) {
      say("doall: the report of one process is left out: {}: {}\n", file.path().filename().string(),
          e.what());
      continue;
    }
    add_symbols(reports.back(), symbols);
    std::ranges::stable_sort(reports.back().records, std::greater{}, &record::wall_time);
  }
  std::ranges::sort(reports, [](const report& a, const report& b) {
    const std::uint64_t a_ns = total_ns(a);
    const std::uint64_t b_ns = total_ns(b);
    return a_ns != b_ns ? a_ns > b_ns : a.pid < b.pid;
  });
  return reports;
}

std::optional<double> parallel_efficiency(const record& r) {
  return part(static_cast<double>(r.busy_time), static_cast<double>(r.capacity_time));
}

std::optional<double> imbalance(const record& r) {
  if (r.bottleneck_time == 0) return std::nullopt;  // a nested loop has no workers of its own
  return part(static_cast<double>(r.bottleneck_time), static_cast<double>(r.busy_time));
}

std::optional<double> overhead(const record& r) {
  const auto inside_ns = static_cast<double>(r.inside_time);
  return part(inside_ns - static_cast<double>(r.busy_time), inside_ns);
}

std::optional<double> stayed(const record& r) {
  return part(static_cast<double>(r.stay_stayed), static_cast<double>(r.stay_compared));
}

std::optional<double> mean_imbalance(const std::vector<report>& reports) {
  for (const site_kind kind : {site_kind::loop, site_kind::region}) {
    double weighted = 0;
    double weight = 0;
    for (const report& process : reports) {
      for (const record& r : process.records) {
        const auto value = imbalance(r);
        if (r.kind != kind || !value) continue;
        weighted += *value * static_cast<double>(r.wall_time);
        weight += static_cast<double>(r.wall_time);
      }
    }
    if (weight > 0) return weighted / weight;
  }
  return std::nullopt;
}

// Which loops had only some of their calls counted in detail; empty: none.
std::string detail_text(const report& process) {
  constexpr std::size_t named_most = 3;
  std::vector<std::string> some;
  std::size_t more = 0;
  for (const record& r : process.records) {
    if (r.calls_in_detail >= r.calls) continue;
    if (some.size() == named_most) {
      ++more;
      continue;
    }
    some.push_back(fmt::format("{} of {} calls of {}", r.calls_in_detail, r.calls, where_text(r)));
  }
  if (some.empty()) return "";
  return fmt::format(
      "Counted in detail, for they are short: {}{}. All calls' number, iterations and time are "
      "counted; the other figures are scaled from those in detail\n",
      fmt::join(some, ", "), more == 0 ? "" : fmt::format(", and some of {} more loops", more));
}

std::string report_table(const std::vector<report>& reports, const seen_run& seen) {
  const whole_run run = run_of(reports, seen);
  const std::string missing = missing_text(run);
  return first_sentence(reports, advise_on(reports), run) + "\n" + missing +
         (missing.empty() ? "" : "\n") + loops_table(reports, run);
}

std::string loops_table(const std::vector<report>& reports, const whole_run& run) {
  std::string text;
  for (const report& process : reports) {
    const std::string rank = process.rank < 0 ? "" : fmt::format("rank {}, ", process.rank);
    text += fmt::format("\n{} ({}process {}, {}, {} threads on {} CPUs)\n", process.program, rank,
                        process.pid, duration_text(static_cast<double>(process.wall_ns)),
                        process.threads, process.cpus);
    table rows({{"where"},
                {"kind"},
                {"schedule"},
                {"workers", align::right},
                {"calls", align::right},
                {"iterations", align::right},
                {"time", align::right},
                {"share", align::right},
                {"efficiency", align::right},
                {"imbalance", align::right},
                {"overhead", align::right},
                {"own", align::right},
                {"central", align::right},
                {"stolen", align::right},
                {"stayed", align::right},
                {"why"}});
    for (const record& r : process.records) {
      if (r.kind == site_kind::region && is_only_loop(process, r)) continue;
      const bool is_loop = r.kind != site_kind::region;
      const auto count = [&](std::uint64_t n) { return is_loop ? std::to_string(n) : "-"; };
      rows.add_row({where_text(r), std::string(name_of(r.kind)), r.schedule,
                    std::to_string(r.workers), std::to_string(r.calls), count(r.iterations),
                    duration_text(static_cast<double>(r.wall_time)),
                    percent_text(run.share(static_cast<double>(r.elapsed_time))),
                    or_dash(parallel_efficiency(r), percent_text),
                    or_dash(imbalance(r), ratio_text), or_dash(overhead(r), percent_text),
                    count(r.chunks_own), count(r.chunks_central), count(r.chunks_stolen),
                    or_dash(stayed(r), percent_text), r.why});
    }
    text += rows.to_text();
    text += detail_text(process);
    text += stealing_table(process);
  }
  text += ranks_table(reports);
  text +=
      "time: of all calls; share: of the run's time, where what the threads of a region call at "
      "the "
      "same time counts once; efficiency: the program's own part of workers x time; imbalance: "
      "busiest worker / mean, "
      "1.00 is even; overhead: the runtime's part of the workers' time; own, central, stolen: "
      "where chunks came from, stolen ones are steals; stayed: iterations that ran on the same "
      "worker as the last time; why: what chose the last call's schedule; a region's time holds "
      "its loops', and one that is all its only loop has no line\n";
  const bool any_stealing =
      std::ranges::any_of(reports, [](const report& r) { return !stealing_table(r).empty(); });
  if (any_stealing) {
    text +=
        "splits: parts of a loop that were cut in two; transactions: pushes, pops and steals of "
        "deques; checks: looks at the own deque; syncs: ends of parts; steals: of parts, those "
        "tried and those lost to a faster thief beside them; claims, failed: of hybrid's "
        "partitions\n";
  }
  return text + "by " + version_text() + "\n";
}

ordered_json ranks_json(const std::vector<report>& reports) {
  ordered_json all = ordered_json::array();
  for (const over_ranks& o : summed_over_ranks(reports)) {
    const auto or_null = [](std::optional<double> value) {
      return value ? ordered_json(*value) : ordered_json(nullptr);
    };
    all.push_back({{"kind", name_of(o.any->kind)},
                   {"function", o.any->function},
                   {"file", o.any->file},
                   {"line", o.any->line},
                   {"calls", o.sum.calls},
                   {"iterations", o.sum.iterations},
                   {"longest_wall_ns", o.longest},
                   {"busy_ns_by_rank", o.busy},
                   {"overhead", or_null(overhead(o.sum))},
                   {"imbalance_between_ranks", or_null(o.between())},
                   {"imbalance_inside_ranks", or_null(imbalance(o.sum))}});
  }
  return all;
}

}  // namespace doall::cli
