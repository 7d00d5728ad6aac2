// Two contenders are compared by the ratios of their rounds: what slows a whole round slows both.
// Their median has a 95 % interval by the sign test (statistics.hpp), and a difference is noise
// where that holds 1.
#include "cli/compare_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "report/report.hpp"
#include "text/table.hpp"

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

const contender* least(const contenders& all, bool ours) {
  const contender* found = nullptr;
  for (const contender& c : all) {
    if (c.is_ours() != ours) continue;
    if (found == nullptr || c.median() < found->median()) found = &c;
  }
  return found;
}

// Which others of doall's differ from `best` by noise alone.
std::string level_with(const contender& best, const contenders& all) {
  constexpr std::size_t named_most = 4;
  std::vector<std::string> level;
  for (const contender& c : all) {
    if (&c == &best || !c.is_ours()) continue;
    const auto found = compared(c, best);
    if (found && word_of(*found) == noise) level.push_back(c.schedule);
  }
  if (level.empty()) return "";
  const std::size_t more = level.size() > named_most ? level.size() - named_most : 0;
  level.resize(level.size() - more);
  return fmt::format(" Level with doall {}, but for noise: {}{}.", best.schedule, list_text(level),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string first_sentence(const contenders& all) {
  const contender* ours = least(all, true);
  const contender* peer = least(all, false);
  if (ours == nullptr) return "Nothing ran on doall.";
  if (peer == nullptr) return fmt::format("doall {} has the least median.", ours->schedule);
  const auto found = compared(*ours, *peer);
  if (!found) return "There are numbers that are not above 0, so there are no ratios.";
  if (!found->interval) {
    return fmt::format(
        "doall {} is at {:.2f} of {}; so few runs cannot tell a difference from noise.",
        ours->schedule, found->median, peer->label());
  }
  const std::string at = fmt::format("{:.2f} of it ({:.2f} to {:.2f})", found->median,
                                     found->interval->low, found->interval->high);
  const std::string word = word_of(*found);
  std::string text;
  if (word == noise) {
    text =
        fmt::format("The best of doall's, {}, and the best of libgomp's, {}, differ by noise: {}.",
                    ours->schedule, peer->schedule, at);
  } else if (word == "better") {
    text = fmt::format("Best is doall {}; the best of libgomp's is {}, and doall is at {}.",
                       ours->schedule, peer->schedule, at);
  } else {
    text = fmt::format("Best is libgomp {}; the best of doall's is {}, at {}.", peer->schedule,
                       ours->schedule, at);
  }
  return text + level_with(*ours, all);
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
  return "/ libgomp X: the median of the rounds' ratios to libgomp under OMP_SCHEDULE=X; below 1 "
         "is "
         "less than libgomp. " +
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
      {"schedule"},
      {metric == "wall_s" ? "median s" : "median " + metric, align::right},
      {"min..max", align::right}};
  for (const auto& [peer, to] : rows.front().at("to_libgomp").items()) {
    columns.push_back({"/ libgomp " + peer, align::right});
  }
  columns.push_back({"imbalance", align::right});

  table found(columns);
  for (const auto& row : rows) {
    std::vector<std::string> cells{row.at("runtime"), row.at("schedule"), number(row.at("median")),
                                   number(row.at("min")) + ".." + number(row.at("max"))};
    for (const auto& [peer, to] : row.at("to_libgomp").items()) cells.push_back(ratio_text(to));
    const ordered_json& uneven = row.at("imbalance");
    cells.push_back(uneven.is_null() ? "-" : fmt::format("{:.2f}", uneven.get<double>()));
    found.add_row(cells);
  }
  return found.to_text();
}

}  // namespace

ordered_json compare_data(const contenders& all, const arguments& program,
                          const std::string& metric) {
  ordered_json rows = ordered_json::array();
  for (const contender& c : all) {
    ordered_json to_libgomp = ordered_json::object();
    for (const contender& peer : all) {
      if (!peer.is_ours()) to_libgomp[peer.schedule] = to_peer(c, peer);
    }
    rows.push_back({{"runtime", c.runtime},
                    {"schedule", c.schedule},
                    {"median", c.median()},
                    {"min", std::ranges::min(c.samples)},
                    {"max", std::ranges::max(c.samples)},
                    {"samples", c.samples},
                    {"to_libgomp", std::move(to_libgomp)},
                    {"imbalance", or_null(mean_imbalance(c.reports))}});
  }
  return {{"schema", "doall-compare/2"},
          {"first", first_sentence(all)},
          {"about", legend(all.front().samples.size())},
          {"program", program},
          {"metric", metric.empty() ? "wall_s" : metric},
          {"rows", std::move(rows)}};
}

std::string compare_text(const ordered_json& data) {
  return fmt::format("{}\n\n{}{}.\n", data.at("first").get<std::string>(), table_text(data),
                     data.at("about").get<std::string>());
}

}  // namespace doall::cli
