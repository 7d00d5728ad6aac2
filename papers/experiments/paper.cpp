// doall paper NAME: every number that a paper prints, ours beside it, and a verdict.
#include "experiments/paper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "driver/experiment.hpp"
#include "schedule/grammar.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

struct place {
  std::string_view where;
  paper_place::rows reproduce;
  paper_place::drawing draw;
};

// By paper, in the order in which they declare themselves.
std::map<std::string_view, std::vector<place>>& papers() {
  static std::map<std::string_view, std::vector<place>> all;
  return all;
}

struct stand_in_for {
  std::string schedule;
  bool was_asked_for = false;
};
std::map<std::string, stand_in_for> stand_ins;

constexpr const char* reproduced = "reproduced";
constexpr const char* same_order = "same order";
constexpr const char* not_reproduced = "not reproduced";

const char* to_text(printed_kind kind) {
  switch (kind) {
    case printed_kind::count: return "count";
    case printed_kind::ratio: return "ratio";
    case printed_kind::factor: return "factor";
    case printed_kind::order: return "order";
    case printed_kind::bound: return "bound";
  }
  return "";
}

// A paper with its rows.
using told_paper = std::pair<std::string, std::vector<paper_row>>;

nlohmann::ordered_json or_null(double n) {
  return std::isfinite(n) ? nlohmann::ordered_json(n) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json to_json(const std::vector<told_paper>& all) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [name, rows] : all) {
    for (const paper_row& r : rows) {
      list.push_back({{"paper", name},
                      {"where", r.where},
                      {"what", r.what},
                      {"printed", or_null(r.printed)},
                      {"ours", or_null(r.ours)},
                      {"ratio", or_null(r.ratio())},
                      {"kind", to_text(r.kind)},
                      {"verdict", r.verdict()}});
    }
  }
  return {{"rows", list}};
}

struct tally {
  std::size_t all = 0;
  std::size_t held = 0;
  std::size_t near = 0;

  void count(const paper_row& r) {
    const std::string verdict = r.verdict();
    ++all;
    held += verdict == reproduced ? 1 : 0;
    near += verdict == same_order ? 1 : 0;
  }

  std::string to_text(const std::string& name) const {
    return fmt::format("{}: {} of {} reproduced, {} of the same order, {} not reproduced", name,
                       held, all, near, all - held - near);
  }
};

tally tally_of(const std::vector<paper_row>& rows) {
  tally counted;
  for (const paper_row& r : rows) counted.count(r);
  return counted;
}

tally tally_of_all(const std::vector<told_paper>& all) {
  tally counted;
  for (const told_paper& one : all) {
    for (const paper_row& r : one.second) counted.count(r);
  }
  return counted;
}

// "-": there is none.
std::string number_text(double n, int digits) {
  return std::isnan(n) ? "-" : fmt::format("{:.{}g}", n, digits);
}

std::vector<std::string> cells_of(const paper_row& r) {
  return {r.where,
          r.what,
          number_text(r.printed, 4),
          number_text(r.ours, 4),
          std::isnan(r.ratio()) ? "-" : fmt::format("{:.3f}", r.ratio()),
          to_text(r.kind),
          r.verdict()};
}

std::string to_text(const told_paper& one) {
  cli::table table({"where", "what", ">printed", ">ours", ">ratio", "kind", "verdict"});
  for (const paper_row& r : one.second) table.add_row(cells_of(r));
  return fmt::format("{}\n{}\n", table.to_text(), tally_of(one.second).to_text(one.first));
}

// The page of all papers: the tallies, then what is not reproduced, and why.
std::string to_markdown(const std::vector<told_paper>& all) {
  std::string text =
      "# What the papers print, and what the shipped schedules do\n\n"
      "Made by `doall paper --all --markdown=results/papers.md`: the same on any machine.\n\n";
  for (const auto& [name, rows] : all) text += fmt::format("- {}\n", tally_of(rows).to_text(name));
  text += fmt::format("- {}\n", tally_of_all(all).to_text("all"));
  for (const auto& [name, rows] : all) {
    text += fmt::format(
        "\n## {}: what is not reproduced\n\n| where | what | printed | ours | verdict | cause |\n"
        "| --- | --- | --- | --- | --- | --- |\n",
        name);
    for (const paper_row& r : rows) {
      if (r.is_held()) continue;
      const auto cells = cells_of(r);
      const bool is_near = cells[6] == same_order;
      text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", cells[0], cells[1], cells[2],
                          cells[3], is_near ? same_order : not_reproduced, r.why);
    }
  }
  return text;
}

std::string names() {
  std::string text;
  for (const auto& [name, places] : papers()) text += fmt::format(" {}", name);
  return text;
}

struct choice {
  std::string name;
  std::string table;
  std::string figure;
  bool all = false;
  std::string markdown;
  std::vector<std::string> instead;
  run_options files;

  bool is_for(const place& p) const {
    if (table.empty() && figure.empty()) return true;
    return (!table.empty() && p.where == "Table " + table) ||
           (!figure.empty() && p.where == "Figure " + figure);
  }
};

[[noreturn]] void refuse(const std::string& why) { throw cli::failure(cli::bad_usage, why); }

// Those that are asked for.
std::vector<told_paper> tell(const choice& asked) {
  if (asked.all != asked.name.empty()) {
    refuse(
        fmt::format("expected the name of a paper, one of:{}; or --all; nothing was run", names()));
  }
  if (!asked.all && !papers().contains(asked.name)) {
    refuse(
        fmt::format("no paper \"{}\", expected one of:{}; nothing was run", asked.name, names()));
  }
  std::size_t all = 0;
  for (const auto& [name, places] : papers()) {
    if (!asked.all && name != asked.name) continue;
    all += static_cast<std::size_t>(
        std::ranges::count_if(places, [&](const place& p) { return asked.is_for(p); }));
  }
  std::size_t done = 0;
  std::vector<told_paper> told;
  for (const auto& [name, places] : papers()) {
    if (!asked.all && name != asked.name) continue;
    std::vector<paper_row>& rows = told.emplace_back(name, std::vector<paper_row>()).second;
    for (const place& p : places) {
      if (!asked.is_for(p)) continue;
      show_progress(fmt::format("{}: {}", name, p.where), done++, all);
      std::ranges::move(p.reproduce(), std::back_inserter(rows));
    }
    if (rows.empty()) told.pop_back();
  }
  show_progress("");
  if (told.empty()) {
    refuse(fmt::format("{}: no table or figure of that number is here; nothing was run",
                       asked.all ? "--all" : asked.name));
  }
  for (const auto& [schedule, other] : stand_ins) {
    if (other.was_asked_for) continue;
    refuse(fmt::format("--instead={}:{}: no row asks for \"{}\"; nothing is printed", schedule,
                       other.schedule, schedule));
  }
  return told;
}

// The figures that are asked for by their number, and draw something.
std::vector<picture> draw(const choice& asked) {
  std::vector<picture> drawn;
  if (asked.figure.empty()) return drawn;
  for (const auto& [name, places] : papers()) {
    if (!asked.all && name != asked.name) continue;
    for (const place& p : places) {
      if (p.draw == nullptr || !asked.is_for(p)) continue;
      show_progress(fmt::format("{}: drawing {}", name, p.where));
      drawn.push_back(p.draw());
    }
  }
  show_progress("");
  return drawn;
}

bool draws(const choice& asked) {
  if (asked.all || asked.figure.empty()) return false;
  const auto found = papers().find(asked.name);
  return found != papers().end() && std::ranges::any_of(found->second, [&](const place& p) {
           return p.draw != nullptr && asked.is_for(p);
         });
}

void add_stand_in(const std::string& asked) {
  const std::size_t colon = asked.find(':');
  const std::string other = colon == asked.npos ? "" : asked.substr(colon + 1);
  const auto parsed = schedules::parse(other);
  if (colon == asked.npos || !parsed) {
    refuse(fmt::format("--instead={}: {}expected two schedules, A:B; nothing was run", asked,
                       parsed.error.empty() ? "" : parsed.error + "; "));
  }
  stand_ins[asked.substr(0, colon)] = {other};
}

void run_paper(const cli::arguments& args) {
  choice asked;
  cli::option_parser options(
      "paper", "NAME|--all [OPTIONS]",
      "What a paper prints, and beside it what the shipped schedules do in virtual time: the same\n"
      "numbers on any machine.",
      "Papers:" + names());
  options.add_option("NAME", asked.name, "The paper");
  options.add_flag("--all", asked.all, "All papers");
  options.add_option("--table", asked.table, "Only that table, by its number").shown_as("N");
  options.add_option("--figure", asked.figure, "Only that figure, by its number").shown_as("N");
  options.add_option("--markdown", asked.markdown, "Writes the tallies, and what is not reproduced")
      .shown_as("FILE");
  options
      .add_option("--instead", asked.instead,
                  "Runs schedule B wherever A is asked for: to see which verdicts that changes")
      .shown_as("A:B")
      .one_each();
  add_json_option(options, asked.files);
  add_svg_option(options, asked.files, "the figure of --figure, which is text otherwise");
  if (!options.read(args)) return;
  const bool is_drawn = !asked.files.svg_file.empty();
  if (is_drawn && !draws(asked)) {
    refuse(
        fmt::format("--svg={}: expected --figure with a number of a figure that is drawn, of "
                    "one paper; nothing was run",
                    asked.files.svg_file));
  }
  for (const std::string& one : asked.instead) add_stand_in(one);
  result_file json(asked.files.json_file);
  result_file page(asked.markdown);
  result_file svg(asked.files.svg_file, "figure");
  const std::vector<told_paper> told = tell(asked);
  for (const told_paper& one : told) fmt::print("{}", to_text(one));
  if (told.size() > 1) fmt::print("{}\n", tally_of_all(told).to_text("all"));
  for (const picture& drawn : draw(asked)) {
    std::visit(
        [&](const auto& chart) {
          if (is_drawn)
            svg.write(to_svg(chart));
          else
            fmt::print("\n{}", to_text(chart));
        },
        drawn);
  }
  json.write(to_json(told));
  page.write(to_markdown(told));
}

const experiment here{"paper", run_paper};

}  // namespace

const std::string& stand_in(const std::string& schedule) {
  const auto found = stand_ins.find(schedule);
  if (found == stand_ins.end()) return schedule;
  found->second.was_asked_for = true;
  return found->second.schedule;
}

paper_row make_row(std::string where, std::string what, printed_kind kind, double printed,
                   double ours, std::string why, double apart) {
  return {std::move(where), std::move(what), printed, ours, kind, apart, std::move(why)};
}

double paper_row::ratio() const { return printed == ours ? 1 : ours / printed; }

bool paper_row::is_held() const {
  switch (kind) {
    case printed_kind::count: return printed == ours;
    case printed_kind::ratio: return std::abs(ratio() - 1) <= apart;
    case printed_kind::factor: return ratio() >= 0.5 && ratio() <= 2;
    case printed_kind::order: return ours < printed;
    case printed_kind::bound: return ours <= printed * (1 + apart);
  }
  return false;
}

std::string paper_row::verdict() const {
  constexpr double tenfold = 10;
  if (is_held()) return reproduced;
  const bool is_number = kind != printed_kind::order && kind != printed_kind::bound;
  if (is_number && ratio() > 1 / tenfold && ratio() < tenfold) return same_order;
  return fmt::format("{}: {}", not_reproduced, why);
}

paper_place::paper_place(std::string_view paper, std::string_view where, rows reproduce,
                         drawing draw) {
  papers()[paper].push_back({where, reproduce, draw});
}

}  // namespace doall::bench
