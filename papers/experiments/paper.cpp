// doall paper NAME: every number that a paper prints, ours beside it, and a verdict.
#include "experiments/paper.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/table.hpp"
#include "driver/experiment.hpp"

namespace doall::bench {
namespace {

std::map<std::string_view, paper::rows>& papers() {
  static std::map<std::string_view, paper::rows> all;
  return all;
}

constexpr const char* reproduced = "reproduced";
constexpr const char* same_order = "same order";

const char* to_text(printed_kind kind) { return kind == printed_kind::count ? "count" : "ratio"; }

nlohmann::ordered_json to_json(const std::string& name, const std::vector<paper_row>& rows) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const paper_row& r : rows) {
    const double ratio = r.ratio();
    list.push_back({{"paper", name},
                    {"where", r.where},
                    {"what", r.what},
                    {"printed", r.printed},
                    {"ours", r.ours},
                    {"ratio", std::isfinite(ratio) ? nlohmann::ordered_json(ratio)
                                                   : nlohmann::ordered_json(nullptr)},
                    {"kind", to_text(r.kind)},
                    {"verdict", r.verdict()}});
  }
  return {{"rows", list}};
}

std::string to_text(const std::string& name, const std::vector<paper_row>& rows) {
  cli::table table({"where", "what", ">printed", ">ours", ">ratio", "kind", "verdict"});
  std::size_t held = 0;
  std::size_t near = 0;
  for (const paper_row& r : rows) {
    const std::string verdict = r.verdict();
    held += verdict == reproduced ? 1 : 0;
    near += verdict == same_order ? 1 : 0;
    table.add_row({r.where, r.what, fmt::format("{:.4g}", r.printed), fmt::format("{:.4g}", r.ours),
                   fmt::format("{:.3f}", r.ratio()), to_text(r.kind), verdict});
  }
  return fmt::format("{}\n{}: {} of {} reproduced, {} of the same order, {} not reproduced\n",
                     table.to_text(), name, held, rows.size(), near, rows.size() - held - near);
}

std::string names() {
  std::string text;
  for (const auto& [name, reproduce] : papers()) text += fmt::format(" {}", name);
  return text;
}

void run_paper(const cli::arguments& args) {
  std::string name;
  std::string where;
  run_options files;
  cli::option_parser options(
      "paper", "NAME [OPTIONS]",
      "What a paper prints, and beside it what the shipped schedules do in virtual time: the same\n"
      "numbers on any machine.",
      "Papers:" + names());
  options.add_option("NAME", name, "The paper");
  options.add_option("--table", where, "Only that table, by its number").shown_as("N");
  add_json_option(options, files);
  if (!options.read(args)) return;
  const auto found = papers().find(name);
  if (found == papers().end()) {
    throw cli::failure(cli::bad_usage, fmt::format("no paper \"{}\", expected one of:{}; nothing "
                                                   "was run",
                                                   name, names()));
  }
  result_file json(files.json_file);
  std::vector<paper_row> rows = found->second();
  if (!where.empty()) {
    std::erase_if(rows, [&](const paper_row& r) { return r.where != "Table " + where; });
    if (rows.empty()) {
      throw cli::failure(cli::bad_usage,
                         fmt::format("--table={}: {} has none of that number here", where, name));
    }
  }
  fmt::print("{}", to_text(name, rows));
  json.write(to_json(name, rows));
}

const experiment here{"paper", run_paper};

}  // namespace

double paper_row::ratio() const { return printed == ours ? 1 : ours / printed; }

std::string paper_row::verdict() const {
  constexpr double tenfold = 10;
  const bool held = kind == printed_kind::count ? printed == ours : std::abs(ratio() - 1) <= apart;
  if (held) return reproduced;
  if (ratio() > 1 / tenfold && ratio() < tenfold) return same_order;
  return "not reproduced: " + why;
}

paper::paper(std::string_view name, rows reproduce) { papers().emplace(name, reproduce); }

}  // namespace doall::bench
