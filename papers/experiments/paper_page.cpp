// How `doall paper` prints what it found: as a table, as JSON, and as the page of all papers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "driver/experiment.hpp"
#include "experiments/paper_told.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

nlohmann::ordered_json or_null(double n) {
  return std::isfinite(n) ? nlohmann::ordered_json(n) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json to_json(const std::string& paper, const told_row& told) {
  const paper_row& r = told.row;
  nlohmann::ordered_json made = {{"paper", paper},          {"where", r.where},
                                 {"what", r.what},          {"printed", or_null(r.printed)},
                                 {"ours", or_null(r.ours)}, {"ratio", or_null(r.ratio())},
                                 {"kind", to_text(r.kind)}, {"tolerance", tolerance_of(r.kind)},
                                 {"class", to_text(r.is)},  {"verdict", r.verdict()}};
  if (!r.is_held()) made["why"] = r.why;
  if (!r.fitted.empty()) made["fitted"] = r.fitted;
  if (told.was_swapped) {
    made["falls_with"] = told.falls_with;
    made["on_idea"] = told.is_on_idea;
    made["falls_without_idea"] = told.falls_without_idea;
    made["weak"] = told.is_weak();
  }
  return made;
}

// "-": there is none.
std::string number_text(double n, int digits) {
  return std::isnan(n) ? "-" : fmt::format("{:.{}g}", n, digits);
}

std::vector<std::string> cells_of(const told_row& told) {
  const paper_row& r = told.row;
  return {r.where,
          r.what,
          number_text(r.printed, 4),
          number_text(r.ours, 4),
          std::isnan(r.ratio()) ? "-" : fmt::format("{:.3f}", r.ratio()),
          to_text(r.kind),
          r.fitted.empty() ? to_text(r.is) : fmt::format("fit: {}", r.fitted),
          told.is_weak() ? "reproduced, weak" : r.verdict()};
}

// Of the kinds that the rows have.
std::string tolerances(const std::vector<told_row>& rows, const char* between) {
  std::set<printed_kind> kinds;
  for (const told_row& r : rows) kinds.insert(r.row.kind);
  std::string text;
  for (const printed_kind kind : kinds) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : between, to_text(kind), tolerance_of(kind));
  }
  return text;
}

void add_table(std::string& text, const char* head, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  const auto columns =
      static_cast<std::size_t>(std::ranges::count(std::string_view(head), '|')) - 1;
  text += fmt::format("\n{}\n|", head);
  for (std::size_t c = 0; c < columns; ++c) text += " --- |";
  text += '\n';
  for (const std::string& line : lines) text += line + '\n';
}

// What a paper's picture shows: its rows that say how many times faster something is, of the place
// that has most to say.
struct headline {
  const char* paper;
  std::vector<std::string> where;
  const char* title;
  const char* y_label;
  const char* one;
};

const headline headlines[] = {
    {"afs",
     {"Section 5.3", "Figure 15"},
     "AFS on the KSR-1: Gauss elimination",
     "time over affinity scheduling's",
     "affinity scheduling's time"},
    {"lbs",
     {"Figure 5", "Figure 6", "Figure 7", "Figure 8", "Figure 9"},
     "LBS on XMT: means over eight programs",
     "how many times faster",
     "as fast"},
    {"fine-grain",
     {"Section 5.1", "Figure 10", "Figure 12", "Figure 13", "Figure 14"},
     "fine-grain on 48 cores: what launches and programs take",
     "ratio",
     "the same"},
    {"cows",
     {"Figure 14", "Figure 16"},
     "COWS: leader election and PageRank, over cyclic",
     "how many times faster than cyclic",
     "as fast as cyclic"},
    {"hybrid",
     {"Figure 2"},
     "hybrid: iterations on the same core as before, 32 cores",
     "how many times as many as by chance",
     "by chance"},
};

bool is_shown(const headline& of, const paper_row& r) {
  if (std::ranges::find(of.where, r.where) == of.where.end()) return false;
  if (!std::isfinite(r.ours) || r.ours <= 0) return false;
  const bool is_share = std::string_view(of.paper) == "hybrid";
  if (std::string_view(of.paper) == "cows" && r.what.find("over cyclic") == r.what.npos)
    return false;
  if (is_share) return r.what.find("79.35") != r.what.npos;
  return r.kind == printed_kind::gain;
}

std::optional<bar_chart> picture_of(const told_paper& one) {
  const auto* const found = std::ranges::find(headlines, one.name, &headline::paper);
  if (found == std::end(headlines)) return {};
  const double unit = one.name == "hybrid" ? 100.0 / 32 : 1;
  bar_panel panel{.title = "", .groups = {}, .bars = {{"the paper", {}}, {"ours", {}}}};
  for (const told_row& r : one.rows) {
    if (!is_shown(*found, r.row)) continue;
    panel.groups.push_back(std::to_string(panel.groups.size() + 1));
    panel.bars[0].by_group.emplace_back(ratio{r.row.printed / unit, {}});
    panel.bars[1].by_group.emplace_back(ratio{r.row.ours / unit, {}});
  }
  if (panel.groups.empty()) return {};
  return bar_chart{
      .title = found->title, .y_label = found->y_label, .one = found->one, .panels = {panel}};
}

// Writes the picture beside the page, and returns the line that shows it.
std::string draw_beside(const std::string& page, const told_paper& one) {
  const std::optional<bar_chart> chart = picture_of(one);
  if (!chart) return "";
  const std::string name = fmt::format("paper-{}.svg", one.name);
  result_file svg((std::filesystem::path(page).parent_path() / name).string(), "picture");
  svg.write(to_svg(*chart));
  std::string text = fmt::format("![{}]({})\n\n", chart->title, name);
  const auto* const found = std::ranges::find(headlines, one.name, &headline::paper);
  std::size_t number = 0;
  for (const told_row& r : one.rows) {
    if (!is_shown(*found, r.row)) continue;
    text += fmt::format("{}{}: {}", number == 0 ? "" : "; ", number + 1, r.row.what);
    ++number;
  }
  return text + ".\n\n";
}

std::string line_of(const told_row& r, const std::string& verdict, const std::string& cause) {
  const auto cells = cells_of(r);
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} |", cells[0], cells[1], cells[2], cells[3],
                     cells[5], verdict, cause);
}

std::string of_paper(const told_paper& one) {
  std::vector<std::string> missed;
  std::vector<std::string> weak;
  std::vector<std::string> fits;
  for (const told_row& r : one.rows) {
    const auto cells = cells_of(r);
    if (r.row.is == row_class::fit) {
      fits.push_back(fmt::format("| {} | {} | {} | {} | {} | {} |", cells[0], cells[1], cells[2],
                                 cells[3], r.row.fitted, r.row.is_held() ? "yes" : "no"));
    } else if (!r.row.is_held()) {
      const bool is_near = r.row.verdict() == same_order;
      missed.push_back(line_of(
          r, fmt::format("{}, {}", to_text(r.row.is), is_near ? same_order : not_reproduced),
          r.row.why));
    } else if (r.is_weak()) {
      weak.push_back(fmt::format("| {} | {} | {} | {} | {} |", cells[0], cells[1], cells[2],
                                 cells[3], r.is_on_idea ? "yes" : "no"));
    }
  }
  std::string text = fmt::format("\n## {}\n", one.name);
  if (!one.swaps.empty()) {
    text +=
        "\nOf the reproduced predictions, with another schedule in the place of that asked "
        "for:\n\n";
    text += swaps_text(one, "- ");
  }
  if (!missed.empty()) text += "\nNot reproduced:\n";
  add_table(text, "| where | what | printed | ours | kind | verdict | cause |", missed);
  if (!weak.empty()) {
    text +=
        "\nReproduced and weak: another schedule in the place of the one that the row is of does "
        "not break it.\n";
  }
  add_table(text, "| where | what | printed | ours | on the paper's own idea |", weak);
  if (!fits.empty()) text += "\nFitted:\n";
  add_table(text, "| where | what | printed | ours | what was chosen | comes out |", fits);
  return text;
}

// Lines at most 100 columns wide, but for tables and pictures.
std::string wrapped(const std::string& text) {
  constexpr std::size_t columns = 100;
  std::string made;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool is_item = line.starts_with("- ");
    while (line.size() > columns && !line.starts_with('|') && !line.starts_with("![")) {
      const std::size_t at = line.rfind(' ', columns);
      if (at == line.npos || at < 3) break;
      made += line.substr(0, at) + '\n';
      line = (is_item ? "  " : "") + line.substr(at + 1);
    }
    made += line + '\n';
  }
  return made;
}

}  // namespace

std::string to_text(const told_paper& one) {
  cli::table table({"where", "what", ">printed", ">ours", ">ratio", "kind", "class", "verdict"});
  for (const told_row& r : one.rows) table.add_row(cells_of(r));
  std::string text = table.to_text();
  text += fmt::format("{}\n", tolerances(one.rows, "; "));
  return text + tally_of(one).to_text(one.name) + '\n' + swaps_text(one, "  with ");
}

std::string to_json_text(const std::vector<told_paper>& all) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const told_paper& one : all) {
    for (const told_row& r : one.rows) list.push_back(to_json(one.name, r));
  }
  const nlohmann::ordered_json made{{"rows", list}};
  return made.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

std::string to_markdown(const std::vector<told_paper>& all, const std::string& page) {
  std::string text =
      "# What the papers print, and what the shipped schedules do\n\n"
      "Made by `doall paper --all --swaps --markdown=results/papers.md`: the same on any machine.\n"
      "`papers/experiments/paper.md` says what the classes, kinds and swaps are.\n\n";
  for (const told_paper& one : all) text += draw_beside(page, one);
  for (const told_paper& one : all) text += fmt::format("- {}\n", tally_of(one).to_text(one.name));
  text += fmt::format("- {}\n\n", tally_of_all(all).to_text("all"));
  std::vector<told_row> rows;
  for (const told_paper& one : all) rows.insert(rows.end(), one.rows.begin(), one.rows.end());
  text += fmt::format("Tolerances. {}.\n", tolerances(rows, "; "));
  for (const told_paper& one : all) text += of_paper(one);
  return wrapped(text);
}

}  // namespace doall::bench
