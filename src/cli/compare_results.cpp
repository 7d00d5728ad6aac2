// Two contenders are compared by the ratios of their rounds: what slows a whole round slows both.
// Their median has a 95 % interval by the sign test (statistics.hpp), and a difference is noise
// where that holds 1.
#include "cli/compare_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "report/report.hpp"
#include "text/table.hpp"
#include "text/version.hpp"

namespace doall::cli {
namespace {

using nlohmann::ordered_json;

constexpr const char* few_runs = "few runs";
constexpr const char* noise = "noise";

// Nothing where a number is not above 0: no ratio means anything then.
std::optional<ratio> compared(const contender& c, const contender& peer) {
  for (const contender* one : {&c, &peer}) {
    if (std::ranges::any_of(one->samples, [](double s) { return !(s > 0); })) return std::nullopt;
  }
  return ratio_of(c.samples, peer.samples);
}

std::string word_of(const ratio& found) {
  if (!found.interval) return few_runs;
  if (found.interval->high < 1) return "better";
  return found.interval->low > 1 ? "worse" : noise;
}

// Of those whose answers are the program's own.
const contender* least(const contenders& all, bool ours) {
  const contender* found = nullptr;
  for (const contender& c : all) {
    if (c.is_ours() != ours) continue;
    if (answers_of(c, all).others > 0) continue;
    if (found == nullptr || c.median() < found->median()) found = &c;
  }
  return found;
}

const contender* own_of(const contenders& all) {
  const auto found = std::ranges::find_if(all, &contender::is_own);
  return found == all.end() ? nullptr : &*found;
}

// The best of all, if it is better than the program's own run by more than noise.
const contender* best_of(const contenders& all) {
  const contender* ours = least(all, true);
  const contender* best = least(all, false);
  if (best == nullptr || (ours != nullptr && ours->median() < best->median())) best = ours;
  const contender* own = own_of(all);
  if (best == nullptr || own == nullptr || best == own) return nullptr;
  const auto found = compared(*best, *own);
  return found && word_of(*found) == "better" ? best : nullptr;
}

// Which others of doall's differ from `best` by noise alone.
std::string level_with(const contender& best, const contenders& all) {
  constexpr std::size_t named_most = 4;
  std::vector<std::string> level;
  for (const contender& c : all) {
    if (&c == &best || !c.is_ours()) continue;
    const auto found = compared(c, best);
    if (found && word_of(*found) == noise) level.push_back(c.how);
  }
  if (level.empty()) return "";
  const std::size_t more = level.size() > named_most ? level.size() - named_most : 0;
  level.resize(level.size() - more);
  return fmt::format(" Level with doall {}, but for noise: {}{}.", best.how, list_text(level),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string times_sentence(const contenders& all) {
  const contender* ours = least(all, true);
  const contender* peer = least(all, false);
  if (ours == nullptr) return "No run on doall gave the program's own answers.";
  if (peer == nullptr) return fmt::format("doall {} has the least median.", ours->how);
  const auto found = compared(*ours, *peer);
  if (!found) return "There are numbers that are not above 0, so there are no ratios.";
  if (!found->interval) {
    return fmt::format(
        "doall {} is at {:.2f} of {}; so few runs cannot tell a difference from noise.", ours->how,
        found->median, peer->label());
  }
  const std::string at = fmt::format("{:.2f} of it ({:.2f} to {:.2f})", found->median,
                                     found->interval->low, found->interval->high);
  const std::string word = word_of(*found);
  std::string text;
  if (word == noise) {
    text =
        fmt::format("The best of doall's, {}, and the best of libgomp's, {}, differ by noise: {}.",
                    ours->how, peer->how, at);
  } else if (word == "better") {
    text = fmt::format("Best is doall {}; the best of libgomp's is {}, and doall is at {}.",
                       ours->how, peer->how, at);
  } else {
    text = fmt::format("Best is libgomp {}; the best of doall's is {}, at {}.", peer->how,
                       ours->how, at);
  }
  return text + level_with(*ours, all);
}

// What of a gain settings explain that need no schedule.
std::string settings_sentence(const contenders& all) {
  const contender* own = own_of(all);
  const contender* best = nullptr;
  for (const contender& c : all) {
    const bool alone = c.what == set_by::threads || c.what == set_by::waiting;
    if (c.is_ours() || !alone || own == nullptr) continue;
    if (answers_of(c, all).others > 0) continue;
    const auto found = compared(c, *own);
    if (!found || word_of(*found) != "better") continue;
    if (best == nullptr || c.median() < best->median()) best = &c;
  }
  if (best == nullptr) return "";
  return fmt::format(" {} alone, on libgomp, is at {:.2f} of the program's own run.", best->how,
                     compared(*best, *own)->median);
}

std::string reach_sentence(const contenders& all, const std::vector<std::string>& unreached) {
  constexpr std::size_t named_most = 4;
  if (unreached.empty()) return "";
  const bool any = std::ranges::any_of(
      all, [](const contender& c) { return c.is_ours() && c.what == set_by::schedule; });
  if (!any) {
    return " No schedule reached a loop of it: its loops are compiled into its regions, or they "
           "are "
           "sections, so runs under schedules would all be the same run.";
  }
  std::vector<std::string> named = unreached;
  const std::size_t more = named.size() > named_most ? named.size() - named_most : 0;
  named.resize(named.size() - more);
  return fmt::format(" These reached no loop of it and have no row: {}{}.", list_text(named),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string answers_sentence(const contenders& all) {
  const own_answers own = own_answers_of(all);
  std::string text;
  std::vector<std::string> others;
  for (const contender& c : all) {
    const answers_seen seen = answers_of(c, all);
    if (seen.others > 0)
      others.push_back(fmt::format("{} ({} of {} runs)", c.label(), seen.others, seen.runs));
  }
  if (!others.empty())
    text = fmt::format(" OTHER ANSWERS than the program's own under {}.", list_text(others));
  if (own.unlike > 0) {
    text += fmt::format(
        " {} of the program differs among its own runs, and tells nothing of others'{}.",
        own.alike > 0 ? "Some output" : "The output",
        own.alike > 0 ? "" : ": --output=FILE names a file that has its answers");
  }
  return text;
}

std::string first_sentence(const contenders& all, const std::vector<std::string>& unreached) {
  return times_sentence(all) + settings_sentence(all) + reach_sentence(all, unreached) +
         answers_sentence(all);
}

std::string word_of(const answers_seen& seen, const own_answers& own) {
  if (seen.others > 0) return fmt::format("differs {}/{}", seen.others, seen.runs);
  return own.alike > 0 ? "same" : "cannot tell";
}

// Whether all own runs have given the same there.
bool agree(const contender& own, std::size_t stream) {
  return std::ranges::all_of(
      own.answers, [&](const auto& run) { return run[stream] == own.answers.front()[stream]; });
}

// What the ratios and the words are.
std::string legend(std::size_t runs) {
  const std::string words =
      runs < least_for_interval
          ? fmt::format(
                "{} rounds are too few to tell a difference from noise: give --runs={} or "
                "more",
                runs, least_for_interval)
          : "noise: the 95 % interval of that median holds 1. Of many rows some differ by chance: "
            "run the best ones again, with more --runs";
  return "own: nothing is set; / libgomp X: the median of the rounds' ratios to libgomp with X, or "
         "under OMP_SCHEDULE=X; below 1 is less than libgomp. answers: what it printed, and the "
         "files of --output, beside those of the program's own runs on libgomp. " +
         words;
}

ordered_json or_null(std::optional<double> value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json to_peer(const contender& c, const contender& peer) {
  const auto found = compared(c, peer);
  if (!found) return nullptr;
  const bool itself = &c == &peer;
  const auto& interval = found->interval;
  return {{"ratio", found->median},
          {"low", or_null(interval ? std::optional(interval->low) : std::nullopt)},
          {"high", or_null(interval ? std::optional(interval->high) : std::nullopt)},
          {"word", itself ? ordered_json(nullptr) : ordered_json(word_of(*found))}};
}

// The number of decimals for all: as many as give the smallest four digits.
int decimals_for(const ordered_json& rows) {
  double smallest = std::abs(rows.front().at("median").get<double>());
  for (const auto& row : rows) {
    smallest = std::min(smallest, std::abs(row.at("median").get<double>()));
  }
  if (smallest <= 0) return 4;
  return std::clamp(3 - static_cast<int>(std::floor(std::log10(smallest))), 0, 9);
}

// "0.98 noise"; blanks instead of the word, so that the numbers stay below each other.
std::string ratio_text(const ordered_json& to) {
  if (to.is_null()) return "-";
  const bool is_noise = to.at("word") == noise;
  return fmt::format("{:.2f} {:5}", to.at("ratio").get<double>(), is_noise ? noise : "");
}

std::string table_text(const ordered_json& data) {
  const std::string metric = data.at("metric");
  const ordered_json& rows = data.at("rows");
  const int decimals = decimals_for(rows);
  const auto number = [&](const ordered_json& value) {
    return fmt::format("{:.{}f}", value.get<double>(), decimals);
  };
  std::vector<table::column> columns{
      {"runtime"},
      {"set"},
      {metric == "wall_s" ? "median s" : "median " + metric, align::right},
      {"min..max", align::right}};
  for (const auto& [peer, to] : rows.front().at("to_libgomp").items()) {
    columns.push_back({"/ libgomp " + peer, align::right});
  }
  columns.push_back({"imbalance", align::right});
  columns.push_back({"answers"});

  table found(columns);
  for (const auto& row : rows) {
    std::vector<std::string> cells{row.at("runtime"), row.at("schedule"), number(row.at("median")),
                                   number(row.at("min")) + ".." + number(row.at("max"))};
    for (const auto& [peer, to] : row.at("to_libgomp").items()) cells.push_back(ratio_text(to));
    const ordered_json& uneven = row.at("imbalance");
    cells.push_back(uneven.is_null() ? "-" : fmt::format("{:.2f}", uneven.get<double>()));
    cells.push_back(row.at("answers").at("word"));
    found.add_row(cells);
  }
  return found.to_text();
}

}  // namespace

std::string_view name_of(set_by what) {
  switch (what) {
    case set_by::nothing: return "nothing";
    case set_by::threads: return "threads";
    case set_by::waiting: return "waiting";
    case set_by::schedule: return "schedule";
  }
  return "?";
}

own_answers own_answers_of(const contenders& all) {
  const contender* own = own_of(all);
  own_answers found;
  if (own == nullptr || own->answers.empty()) return found;
  for (std::size_t stream = 0; stream < own->answers.front().size(); ++stream)
    ++(agree(*own, stream) ? found.alike : found.unlike);
  return found;
}

answers_seen answers_of(const contender& c, const contenders& all) {
  const contender* own = own_of(all);
  answers_seen seen{c.answers.size(), 0};
  if (own == nullptr || own->answers.empty()) return seen;
  for (const auto& run : c.answers) {
    bool other = false;
    for (std::size_t stream = 0; stream < run.size(); ++stream) {
      const bool differs = run[stream] != own->answers.front()[stream];
      other = other || (differs && agree(*own, stream));
    }
    seen.others += other ? 1U : 0U;
  }
  return seen;
}

ordered_json compare_data(const contenders& all, const arguments& program,
                          const std::string& metric, const std::vector<std::string>& unreached) {
  ordered_json rows = ordered_json::array();
  const contender* best = best_of(all);
  const own_answers own = own_answers_of(all);
  for (const contender& c : all) {
    ordered_json to_libgomp = ordered_json::object();
    for (const contender& peer : all) {
      const bool is_peer = peer.is_own() || peer.what == set_by::schedule;
      if (!peer.is_ours() && is_peer) to_libgomp[peer.how] = to_peer(c, peer);
    }
    const answers_seen seen = answers_of(c, all);
    // What is set beside the schedule; of two values of a variable the later counts.
    std::map<std::string, std::optional<std::string>> set;
    for (const auto& [name, value] : c.environment) set[name] = value;
    ordered_json settings = ordered_json::array();
    for (const auto& [name, value] : set) {
      if (name.starts_with("OMP_") && name != "OMP_SCHEDULE" && value)
        settings.push_back(name + "=" + *value);
    }
    const auto threads = set["DOALL_NUM_THREADS"];
    rows.push_back(
        {{"runtime", c.runtime},
         {"schedule", c.how},
         {"set", name_of(c.what)},
         {"settings", std::move(settings)},
         {"threads", threads ? ordered_json(*threads) : ordered_json(nullptr)},
         {"best", &c == best},
         {"median", c.median()},
         {"min", std::ranges::min(c.samples)},
         {"max", std::ranges::max(c.samples)},
         {"samples", c.samples},
         {"to_libgomp", std::move(to_libgomp)},
         {"imbalance", or_null(mean_imbalance(c.reports))},
         {"answers",
          {{"runs", seen.runs}, {"others", seen.others}, {"word", word_of(seen, own)}}}});
  }
  return stamped("doall-compare/3",
                 {{"first", first_sentence(all, unreached)},
                  {"about", legend(all.front().samples.size())},
                  {"program", program},
                  {"metric", metric.empty() ? "wall_s" : metric},
                  {"own_answers", {{"alike", own.alike}, {"unlike", own.unlike}}},
                  {"unreached", unreached},
                  {"rows", std::move(rows)}});
}

std::string compare_text(const ordered_json& data) {
  return fmt::format("{}\n\n{}{}.\nby {}\n", data.at("first").get<std::string>(), table_text(data),
                     data.at("about").get<std::string>(), version_text());
}

}  // namespace doall::cli
