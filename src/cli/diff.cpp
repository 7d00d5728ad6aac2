// doall diff: two runs' reports, loop by loop, and whether a difference is more than noise.
//
// What is compared is the mean time of a call. Its standard error comes from how the means of the
// groups of neighbouring calls spread (observe/call_history.hpp): it takes in what changes from
// call to call, and not what makes a whole run faster or slower. As in `doall compare` a difference
// is noise where the 95 % interval of the ratio holds 1; with few groups there is no interval.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "cli/command.hpp"
#include "process/options.hpp"
#include "process/result_file.hpp"
#include "report/data.hpp"
#include "report/page.hpp"
#include "text/table.hpp"
#include "text/version.hpp"

namespace doall::cli {
namespace {

using nlohmann::ordered_json;

// A loop's sums over a run's processes.
struct run_loop {
  std::string where;
  std::string kind;
  std::string function;
  std::string schedule;
  double calls = 0;
  double wall_ns = 0;
  double busy_ns = 0;
  double capacity_ns = 0;
  std::vector<double> group_means = {};

  double call_ns() const { return calls == 0 ? 0 : wall_ns / calls; }
  std::optional<double> efficiency() const {
    return capacity_ns == 0 ? std::nullopt : std::optional(busy_ns / capacity_ns);
  }

  // The square of call_ns()'s standard error.
  double squared_error() const {
    const auto n = static_cast<double>(group_means.size());
    double mean = 0;
    for (const double m : group_means) mean += m / n;
    double squares = 0;
    for (const double m : group_means) squares += (m - mean) * (m - mean);
    return squares / (n - 1) / n;
  }
};

using place = std::tuple<std::string, std::string, std::string, std::uint64_t>;
using run = std::map<place, run_loop>;

run loops_of(const ordered_json& data) {
  run all;
  for (const auto& process : data.at("processes")) {
    for (const auto& l : process.at("loops")) {
      const std::string kind = l.at("kind");
      const std::string function = l.at("function");
      const std::string file = std::filesystem::path(l.at("file").get<std::string>()).filename();
      // Without a line the offset tells loops of one function apart.
      const auto line = l.at(file.empty() ? "offset" : "line").get<std::uint64_t>();
      run_loop& to = all[{kind, function, file, line}];
      to.where = l.at("where");
      to.kind = kind;
      to.function = function;
      to.schedule = l.at("schedule");
      to.calls += l.at("calls").get<double>();
      to.wall_ns += l.at("wall_ns").get<double>();
      to.busy_ns += l.at("busy_ns").get<double>();
      to.capacity_ns += l.at("capacity_ns").get<double>();
      for (const auto& group : l.at("over_calls")) to.group_means.push_back(group.at(1));
    }
  }
  return all;
}

// Of a ratio, 95 %: twice the standard error to each side.
struct interval {
  double low;
  double high;
};

struct difference {
  std::optional<run_loop> before;
  std::optional<run_loop> after;

  const run_loop& any() const { return after ? *after : *before; }
  std::optional<double> ratio() const {
    if (!before || !after || before->call_ns() == 0) return std::nullopt;
    return after->call_ns() / before->call_ns();
  }
  std::optional<interval> ratio_interval() const;
  std::string word() const;
  // The time that it has made, for the order.
  double weight() const {
    if (!before || !after) return any().wall_ns;
    return std::abs(after->call_ns() - before->call_ns()) * std::max(after->calls, before->calls);
  }
};

std::optional<interval> difference::ratio_interval() const {
  constexpr std::size_t groups_least = 8;
  const auto times = ratio();
  if (!times || after->call_ns() == 0) return std::nullopt;
  if (std::min(before->group_means.size(), after->group_means.size()) < groups_least)
    return std::nullopt;
  const auto squared_part = [](const run_loop& l) {
    return l.squared_error() / l.call_ns() / l.call_ns();
  };
  const double error = *times * std::sqrt(squared_part(*before) + squared_part(*after));
  return interval{*times - 2 * error, *times + 2 * error};
}

std::string difference::word() const {
  if (!before) return "new";
  if (!after) return "gone";
  if (!ratio()) return "no time";
  const auto range = ratio_interval();
  if (!range) return "few calls";
  if (range->high < 1) return "faster";
  return range->low > 1 ? "slower" : "noise";
}

// Loops at the same place; then those that alone have their kind and function on each side.
std::vector<difference> compare(run before, run after) {
  std::vector<difference> all;
  const auto pair = [&](run::iterator b, run::iterator a) {
    all.push_back({b->second, a->second});
    after.erase(a);
    return before.erase(b);
  };
  for (auto b = before.begin(); b != before.end();) {
    const auto a = after.find(b->first);
    b = a == after.end() ? std::next(b) : pair(b, a);
  }
  const auto alone = [](run& in, const run_loop& like) {
    auto found = in.end();
    for (auto one = in.begin(); one != in.end(); ++one) {
      if (one->second.kind != like.kind || one->second.function != like.function) continue;
      if (found != in.end()) return in.end();
      found = one;
    }
    return found;
  };
  for (auto b = before.begin(); b != before.end();) {
    const bool named = !b->second.function.empty();
    const auto a = named && alone(before, b->second) == b ? alone(after, b->second) : after.end();
    b = a == after.end() ? std::next(b) : pair(b, a);
  }
  for (const auto& [at, loop] : before) all.push_back({loop, std::nullopt});
  for (const auto& [at, loop] : after) all.push_back({std::nullopt, loop});
  std::ranges::stable_sort(all, std::greater{}, &difference::weight);
  return all;
}

std::string first_sentence(const std::vector<difference>& all) {
  for (const difference& d : all) {
    const std::string word = d.word();
    if (word != "faster" && word != "slower") continue;
    return fmt::format("{} has changed most: a call takes {} instead of {}, {:.2f} of its time.",
                       d.any().where, duration_text(d.after->call_ns()),
                       duration_text(d.before->call_ns()), *d.ratio());
  }
  return "No loop has changed by more than noise.";
}

ordered_json to_json(const std::vector<difference>& all, const std::string& before,
                     const std::string& after) {
  const auto or_null = [](std::optional<double> value) {
    return value ? ordered_json(*value) : ordered_json(nullptr);
  };
  ordered_json loops = ordered_json::array();
  for (const difference& d : all) {
    ordered_json one{{"where", d.any().where}, {"kind", d.any().kind}};
    for (const auto& [name, side] : {std::pair{"a", &d.before}, std::pair{"b", &d.after}}) {
      const std::string begin(name);
      const bool there = side->has_value();
      one[begin + "_ns"] = there ? ordered_json((*side)->call_ns()) : ordered_json(nullptr);
      one[begin + "_calls"] = there ? ordered_json((*side)->calls) : ordered_json(nullptr);
      one[begin + "_efficiency"] = or_null(there ? (*side)->efficiency() : std::nullopt);
      one[begin + "_schedule"] = there ? ordered_json((*side)->schedule) : ordered_json(nullptr);
    }
    one["ratio"] = or_null(d.ratio());
    const auto range = d.ratio_interval();
    one["low"] = or_null(range ? std::optional(range->low) : std::nullopt);
    one["high"] = or_null(range ? std::optional(range->high) : std::nullopt);
    one["word"] = d.word();
    loops.push_back(std::move(one));
  }
  return stamped(
      "doall-diff/1",
      {{"first", first_sentence(all)},
       {"about", fmt::format("before: {}; after: {}; times are means of a call", before, after)},
       {"loops", std::move(loops)}});
}

std::string ratio_text(const difference& d) {
  const auto times = d.ratio();
  if (!times) return "-";
  const auto range = d.ratio_interval();
  if (!range) return fmt::format("{:.2f}", *times);
  return fmt::format("{:.2f} ({:.2f}..{:.2f})", *times, range->low, range->high);
}

std::string to_text(const std::vector<difference>& all) {
  table rows({"where", "kind", "schedules", ">calls", ">before", ">after", ">after / before",
              ">efficiency", "word"});
  const auto time = [](const std::optional<run_loop>& l) {
    return l ? duration_text(l->call_ns()) : "-";
  };
  const auto busy = [](const std::optional<run_loop>& l) {
    const auto value = l ? l->efficiency() : std::nullopt;
    return value ? percent_text(*value) : "-";
  };
  for (const difference& d : all) {
    const std::string old = d.before ? d.before->schedule : "-";
    const std::string now = d.after ? d.after->schedule : "-";
    rows.add_row({d.any().where, d.any().kind, old == now ? now : old + " -> " + now,
                  fmt::format("{}", d.any().calls), time(d.before), time(d.after), ratio_text(d),
                  busy(d.before) + " -> " + busy(d.after), d.word()});
  }
  return rows.to_text();
}

}  // namespace

int diff_command(const arguments& args) {
  std::string before;
  std::string after;
  std::string page;
  std::string json;
  option_parser options(
      "diff", "BEFORE AFTER [OPTIONS]",
      "Compares two reports ('doall run --report=FILE.json') loop by loop, and says which\n"
      "differences are more than noise.",
      "Example:\n  doall run --report=before.json ./app\n"
      "  doall run --report=after.json --schedule=guided ./app\n"
      "  doall diff before.json after.json\n");
  options.add_option("BEFORE", before, "A report's data").required();
  options.add_option("AFTER", after, "Another one's").required();
  options.add_option("--html", page, "Also makes a page").shown_as("FILE");
  options.add_option("--json", json, "Also writes it there, schema doall-diff/1").shown_as("FILE");
  if (!options.read(args)) return succeeded;
  run old;
  run now;
  for (const auto& [file, to] : {std::pair{&before, &old}, std::pair{&after, &now}}) {
    try {
      *to = loops_of(read_report_data(*file));
    } catch (const ordered_json::exception& e) {
      throw failure(failed,
                    fmt::format("{} lacks something that a report has: {}", *file, e.what()));
    }
  }
  require_different_files({{"--html", page}, {"--json", json}});
  result_file page_out(page, "page");
  result_file json_out(json);
  const std::vector<difference> all = compare(std::move(old), std::move(now));
  const ordered_json data = to_json(all, before, after);
  fmt::print("{}\n\n{}", data["first"].get<std::string>(), to_text(all));
  fmt::print(
      "before, after: a call's mean time; in parentheses the ratio's 95 % interval, by how its "
      "calls spread; noise: that holds 1; few calls: too few for an interval. One run each: what a "
      "whole run gains or loses by chance, it cannot tell; 'doall compare' can\n");
  if (page_out.is_wanted()) page_out.write(report_page(data));
  if (json_out.is_wanted()) json_out.write(data);
  return succeeded;
}

}  // namespace doall::cli
