// doall paper NAME: every number that a paper prints, ours beside it, and a verdict.
#include "experiments/paper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "driver/experiment.hpp"
#include "experiments/paper_told.hpp"

namespace doall::bench {
namespace {

std::string names() {
  std::string text;
  for (const auto& [name, places] : papers()) text += fmt::format(" {}", name);
  return text;
}

struct choice {
  std::string name;
  std::string table;
  std::string figure;
  std::string section;
  bool all = false;
  bool swaps = false;
  std::string markdown;
  std::vector<std::string> instead;
  run_options files;

  bool is_for(std::string_view paper) const { return all || paper == name; }
  bool is_for(const told_place& p) const {
    if (table.empty() && figure.empty() && section.empty()) return true;
    return (!section.empty() && p.where == "Section " + section) ||
           (!table.empty() && p.where == "Table " + table) ||
           (!figure.empty() && p.where == "Figure " + figure);
  }
};

[[noreturn]] void refuse(const std::string& why) { throw cli::failure(cli::bad_usage, why); }

std::size_t places_of(const choice& asked) {
  std::size_t all = 0;
  for (const auto& [name, places] : papers()) {
    if (!asked.is_for(name)) continue;
    all += static_cast<std::size_t>(
        std::ranges::count_if(places, [&](const told_place& p) { return asked.is_for(p); }));
  }
  return all;
}

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
  const std::size_t all = places_of(asked);
  std::size_t done = 0;
  std::vector<told_paper> told;
  for (const auto& [name, places] : papers()) {
    if (!asked.is_for(name)) continue;
    std::vector<told_place> chosen;
    std::ranges::copy_if(places, std::back_inserter(chosen),
                         [&](const told_place& p) { return asked.is_for(p); });
    if (chosen.empty()) continue;
    const auto running = [&](const std::string& what) {
      show_progress(fmt::format("{}: {}", name, what), done, all);
    };
    told.push_back(tell_paper(name, chosen, asked.swaps, running));
    done += chosen.size();
  }
  show_progress("");
  if (told.empty()) {
    refuse(fmt::format("{}: no table or figure of that number is here; nothing was run",
                       asked.all ? "--all" : asked.name));
  }
  expect_all_stand_ins_used();
  return told;
}

// The figures that are asked for by their number, and draw something.
std::vector<picture> draw(const choice& asked) {
  std::vector<picture> drawn;
  if (asked.figure.empty()) return drawn;
  for (const auto& [name, places] : papers()) {
    if (!asked.is_for(name)) continue;
    for (const told_place& p : places) {
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
  return found != papers().end() && std::ranges::any_of(found->second, [&](const told_place& p) {
           return p.draw != nullptr && asked.is_for(p);
         });
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
  options.add_option("--section", asked.section, "Only what that section says, by its number")
      .shown_as("N");
  options.add_flag("--swaps", asked.swaps,
                   "Runs all of it again with other schedules, and says which predictions do not\n"
                   "notice");
  options
      .add_option("--markdown", asked.markdown,
                  "Writes a page: pictures beside it, tallies, what is not reproduced")
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
  json.write(to_json_text(told));
  if (page.is_wanted()) page.write(to_markdown(told, asked.markdown));
}

const experiment here{"paper", run_paper};

}  // namespace

}  // namespace doall::bench
