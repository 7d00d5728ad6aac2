#include "report/data.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "base/file_text.hpp"
#include "process/failure.hpp"
#include "report/loop_advice.hpp"
#include "report/recording.hpp"
#include "report/report.hpp"
#include "text/version.hpp"

namespace doall::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using observe::record;
using observe::report;
using observe::site_kind;

ordered_json or_null(std::optional<double> value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

// Lines of source files, each of which is read once.
class source_files {
 public:
  // Those around the line, with the number of the first; null if the file is not there.
  ordered_json around(const std::string& file, std::uint32_t line) {
    constexpr std::size_t before = 1;
    constexpr std::size_t after = 6;
    if (file.empty() || line == 0) return nullptr;
    const std::vector<std::string>& lines = lines_of(file);
    if (line > lines.size()) return nullptr;
    const std::size_t from = line - 1 - std::min<std::size_t>(line - 1, before);
    const std::size_t to = std::min(lines.size(), line + after);
    return {{"first_line", from + 1},
            {"lines", std::vector<std::string>(lines.begin() + static_cast<std::ptrdiff_t>(from),
                                               lines.begin() + static_cast<std::ptrdiff_t>(to))}};
  }

 private:
  const std::vector<std::string>& lines_of(const std::string& file) {
    constexpr std::uintmax_t bytes_most = 16 << 20;
    constexpr std::size_t columns_most = 200;
    const auto [at, is_new] = files_.try_emplace(file);
    std::error_code error;
    if (!is_new || !fs::is_regular_file(file, error) || fs::file_size(file, error) > bytes_most)
      return at->second;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
      at->second.push_back(line.substr(0, columns_most));
    return at->second;
  }

  std::map<std::string, std::vector<std::string>> files_;
};

// "1:2.5 3:4" as [[1, 2.5], [3, 4]].
ordered_json groups_of(std::string_view text) {
  ordered_json groups = ordered_json::array();
  while (!text.empty()) {
    std::string_view group = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(group.size() + 1, text.size()));
    ordered_json numbers = ordered_json::array();
    while (!group.empty()) {
      const std::string_view one = group.substr(0, group.find(':'));
      double number = 0;
      const auto end = std::from_chars(one.data(), one.data() + one.size(), number).ptr;
      if (end == one.data()) break;
      if (one.find('.') == one.npos)
        numbers.push_back(static_cast<std::uint64_t>(number));
      else
        numbers.push_back(number);
      group.remove_prefix(std::min(static_cast<std::size_t>(end - group.data()) + 1, group.size()));
    }
    groups.push_back(std::move(numbers));
  }
  return groups;
}

ordered_json slowest_json(const record& r) {
  ordered_json groups = groups_of(r.slowest_call);
  if (groups.empty()) return nullptr;
  const ordered_json call = groups.front();
  groups.erase(groups.begin());
  return {{"call", call.at(0)}, {"ns", call.at(1)}, {"workers", groups}};
}

// The workers' time and its parts, in nanoseconds.
ordered_json split_json(const record& r) {
  const bool nested = r.kind == site_kind::nested;
  return {{"worker_time_ns", nested ? r.inside_time : r.capacity_time},
          {"work_ns", r.busy_time},
          {"scheduling_ns", r.scheduling_time},
          {"waiting_ns", r.waiting_time},
          {"idle_ns", r.idle_time}};
}

// How many iterations of a mean call cost from one power of two to the next: [from, to, count].
ordered_json histogram_of(const ordered_json& pairs) {
  std::map<int, std::uint64_t> counts;
  for (const auto& pair : pairs) {
    const double ns = pair[1].get<double>();
    counts[ns < 1 ? 0 : static_cast<int>(std::floor(std::log2(ns)))] +=
        pair[0].get<std::uint64_t>();
  }
  ordered_json all = ordered_json::array();
  for (const auto& [power, count] : counts)
    all.push_back({power == 0 ? 0 : std::exp2(power), std::exp2(power + 1), count});
  return all;
}

ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

ordered_json advice_json(const record& r, const loop_advice& a, const whole_run& run) {
  const double saved_ns = a.saves * static_cast<double>(r.elapsed_time);
  const bool saves = a.from_outside();
  return {{"text", a.text},
          {"settings", text_or_null(a.settings)},
          {"schedule", text_or_null(a.schedule)},
          {"saves", saves ? ordered_json(a.saves) : ordered_json(nullptr)},
          {"saved_ns", saves ? ordered_json(std::round(saved_ns)) : ordered_json(nullptr)},
          {"saved_share", saves ? ordered_json(run.share(saved_ns)) : ordered_json(nullptr)},
          {"machine", text_or_null(a.machine)}};
}

// In UTC, as ISO 8601 has it.
std::string date_text(std::uint64_t s_since_1970) {
  const auto time = static_cast<std::time_t>(s_since_1970);
  std::tm parts{};
  char text[32];
  if (gmtime_r(&time, &parts) == nullptr) return "";
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

// Of the whole run, or of one of its processes.
template <class Facts>
void add_facts(ordered_json& to, const Facts& of) {
  to["command"] = of.command;
  to["settings"] = of.settings;
  to["date"] = date_text(of.began_s);
  to["wall_ns"] = of.wall_ns;
  to["cpus"] = of.cpus;
}

ordered_json stealing_json(const deque::counts& c) {
  ordered_json all{{"deque_transactions", c.transactions()}};
  deque::counts::each([&](const char* name, auto field) { all[name] = c.*field; });
  return all;
}

ordered_json loop_json(const report& process, const record& r, const loop_advice& advice,
                       const whole_run& run, source_files& sources) {
  ordered_json loop = {{"where", where_text(r)},
                       {"kind", name_of(r.kind)},
                       {"door", r.door},
                       {"function", r.function},
                       {"file", r.file},
                       {"line", r.line},
                       {"module", r.module},
                       {"offset", r.offset},
                       {"caller", r.caller},
                       {"schedule", r.schedule},
                       {"why", r.why},
                       {"advice", advice_json(r, advice, run)},
                       {"share", run.share(static_cast<double>(r.elapsed_time))},
                       {"is_only_loop", is_only_loop(process, r)}};
  observe::each_number([&](const char* name, auto number) { loop[name] = r.*number; });
  loop["parallel_efficiency"] = or_null(parallel_efficiency(r));
  loop["imbalance"] = or_null(imbalance(r));
  loop["overhead"] = or_null(overhead(r));
  loop["stayed"] = or_null(stayed(r));
  loop["stealing"] = stealing_json(r.stealing);
  loop["split"] = split_json(r);
  loop["over_calls"] = groups_of(r.over_calls);
  loop["slowest_call"] = slowest_json(r);
  const ordered_json pairs = cost_pairs(r);
  loop["costs"] = pairs;
  loop["cost_histogram"] = histogram_of(pairs);
  loop["source"] = sources.around(r.file, r.line);
  return loop;
}

}  // namespace

ordered_json report_data(const std::vector<report>& reports, const seen_run& seen) {
  const all_advice advice = advise_on(reports);
  const whole_run run = run_of(reports, seen);
  source_files sources;
  ordered_json processes = ordered_json::array();
  for (std::size_t p = 0; p < reports.size(); ++p) {
    const report& process = reports[p];
    ordered_json loops = ordered_json::array();
    for (std::size_t n = 0; n < process.records.size(); ++n)
      loops.push_back(loop_json(process, process.records[n], advice[p][n], run, sources));
    ordered_json one = {
        {"pid", process.pid}, {"program", process.program}, {"threads", process.threads}};
    add_facts(one, process);
    one["loops"] = std::move(loops);
    if (process.rank >= 0) one["rank"] = process.rank;
    processes.push_back(std::move(one));
  }
  ordered_json all = stamped(report_schema, {{"first", first_sentence(reports, advice, run)}});
  add_facts(all["run"], run);
  all["run"]["workers"] = run.workers;
  all["run"]["processes_ns"] = run.processes_ns;
  all["run"]["others_part"] = or_null(run.others_part);
  all["run"]["lost_processes"] = run.lost_processes;
  all["run"]["cpu_ns"] = run.cpu_ns;
  all["run"]["reported_cpu_ns"] = run.reported_cpu_ns;
  all["run"]["missing"] = text_or_null(missing_text(run));
  all["processes"] = std::move(processes);
  if (const ordered_json ranks = ranks_json(reports); !ranks.empty()) all["over_ranks"] = ranks;
  return all;
}

ordered_json read_report_data(const std::string& file) {
  const auto refuse = [&](const std::string& what) {
    throw failure(failed, fmt::format("{} {}", file, what));
  };
  const auto text = base::contents(file);
  if (!text) refuse("cannot be read");
  // Deeper than a report is: what walks through it recurses.
  constexpr int deepest = 100;
  bool too_deep = false;
  const ordered_json::parser_callback_t note = [&](int depth, auto, auto&) {
    too_deep = too_deep || depth > deepest;
    return !too_deep;
  };
  ordered_json data = ordered_json::parse(*text, note, false);
  if (too_deep)
    refuse(fmt::format("is no report: it has more than {} brackets in brackets", deepest));
  if (data.is_discarded() || !data.is_object() || !data.contains("schema"))
    refuse("is no report, expected JSON of 'doall run --report=FILE.json'");
  if (data["schema"] != report_schema) {
    refuse(fmt::format("has the schema {}, expected \"{}\": make it again with this doall",
                       data["schema"].dump(), report_schema));
  }
  return data;
}

}  // namespace doall::cli
