#include "report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "process/failure.hpp"
#include "process/options.hpp"
#include "process/result_file.hpp"
#include "report/data.hpp"
#include "report/page_files.hpp"

namespace doall::cli {
namespace {

using nlohmann::ordered_json;

// To four digits: the page shows three.
ordered_json rounded(double value) {
  constexpr double digits = 4;
  constexpr double whole = 1'000;
  if (value == 0 || !std::isfinite(value)) return 0;
  const double step = std::pow(10, std::floor(std::log10(std::abs(value))) - digits + 1);
  const double found = std::round(value / step) * step;
  if (found < whole) return found;
  return static_cast<std::uint64_t>(found);
}

// At most so many groups: neighbours become one. A group has a count, what each of it takes and, in
// groups of three numbers, the most that one of it takes.
ordered_json fewer(const ordered_json& groups, std::size_t most) {
  ordered_json found = ordered_json::array();
  const std::size_t together = std::max<std::size_t>(1, (groups.size() + most - 1) / most);
  for (std::size_t n = 0; n < groups.size(); n += together) {
    double count = 0;
    double sum = 0;
    double longest = 0;
    for (std::size_t k = n; k < std::min(n + together, groups.size()); ++k) {
      const ordered_json& one = groups.at(k);
      count += one.at(0).get<double>();
      sum += one.at(0).get<double>() * one.at(1).get<double>();
      longest = std::max(longest, one.back().get<double>());
    }
    ordered_json one{static_cast<std::uint64_t>(count), rounded(count == 0 ? 0 : sum / count)};
    if (groups[n].size() > 2) one.push_back(rounded(longest));
    found.push_back(std::move(one));
  }
  return found;
}

void round_all(ordered_json& numbers) {
  for (auto& one : numbers) {
    if (one.is_array())
      round_all(one);
    else if (one.is_number_float())
      one = rounded(one.get<double>());
  }
}

// What the page shows of a loop: a page of a thousand loops is to have less than 3 MB.
ordered_json shown_of(const ordered_json& loop) {
  constexpr std::size_t groups_most = 24;
  constexpr std::size_t costs_most = 32;
  ordered_json shown = ordered_json::object();
  for (const char* name : {"where",
                           "kind",
                           "function",
                           "file",
                           "line",
                           "schedule",
                           "why",
                           "advice",
                           "workers",
                           "calls",
                           "calls_in_detail",
                           "iterations",
                           "wall_ns",
                           "share",
                           "parallel_efficiency",
                           "imbalance",
                           "overhead",
                           "stayed",
                           "chunks_stolen",
                           "split",
                           "slowest_call",
                           "cost_histogram",
                           "source"})
    shown[name] = loop.at(name);
  const auto thin = [&](const char* name, std::size_t most) {
    const ordered_json& all = loop.at(name);
    shown[name] = fewer(all, most);
    if (all.size() > most) shown["of"][name] = all.size();
  };
  thin("over_calls", groups_most);
  thin("costs", costs_most);
  if (!shown["slowest_call"].is_null()) round_all(shown["slowest_call"]["workers"]);
  round_all(shown["cost_histogram"]);
  return shown;
}

ordered_json shown_of_report(const ordered_json& data) {
  ordered_json shown = data;
  if (!shown.contains("processes")) return shown;
  for (auto& process : shown["processes"]) {
    ordered_json lines = ordered_json::array();
    // A region and its only loop are one line.
    for (const auto& loop : process["loops"]) {
      if (!loop.at("is_only_loop").get<bool>()) lines.push_back(shown_of(loop));
    }
    process["loops"] = std::move(lines);
  }
  return shown;
}

// JSON that may stand in a <script>: no text in it can end that, or begin a comment.
std::string harmless(std::string json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

}  // namespace

bool is_page(std::string_view file) { return file.ends_with(".html") || file.ends_with(".htm"); }

std::string report_page(const ordered_json& data) {
  std::string page(page_head);
  page += fmt::format("<style>\n{}</style>\n", page_style);
  page += page_body;
  page += fmt::format("<script type=\"application/json\" id=\"data\">{}</script>\n",
                      harmless(json_text(shown_of_report(data), -1)));
  page += fmt::format("<script>\n{}</script>\n</body>\n</html>\n", page_script);
  return page;
}

}  // namespace doall::cli
