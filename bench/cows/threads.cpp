#include "cows/threads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/load_watch.hpp"
#include "stealing/report.hpp"
#include "stealing/verdict.hpp"

namespace doall::bench {
namespace {

// The best that is shown, ours or a peer's, must not be ahead by more: so nobody must.
std::optional<bar> most(const std::string&, const entrant&) { return bar{.most = 1.02}; }

std::string input(const std::string& program, const std::string&) {
  return program.find("-road-") == std::string::npos ? "a power-law graph" : "a road network";
}

std::vector<verdict> judge(const stealing_benchmark& b, const std::vector<stealing_result>& all,
                           const std::vector<stealing_result>&, const std::string&) {
  std::vector<verdict> made;
  struct family_limit {
    const char* family;
    double ahead_by;
  };
  for (const auto& [family, ahead_by] :
       {family_limit{"libgomp gomp dynamic", 1.10}, family_limit{"libgomp gomp static", 1.10},
        family_limit{"libgomp gomp guided", 1}}) {
    auto v = mean_verdict(b, all, family);
    if (!v) continue;
    v->limit = fmt::format("<= 1/{}", ahead_by);
    if (v->held) v->held = v->found.median <= 1 / ahead_by;
    made.push_back(*std::move(v));
  }
  return made;
}

const stealing_benchmark& benchmark() {
  static const stealing_benchmark b{.name = "cows",
                                    .purpose = "",
                                    .title = "Irregular loops",
                                    .schedule = "wsrw",
                                    .runs_by_default = nullptr,
                                    .input = input,
                                    .most = most,
                                    .judge = judge};
  return b;
}

// A run of it takes many seconds: who names no programs means the others.
bool takes_long(const std::string& program) { return program.starts_with("leader-election-road-"); }

std::vector<std::string> programs_of(const cows_choice& asked, std::vector<std::string>& left_out) {
  std::vector<std::string> names;
  for (const program& p : cows_programs([](auto&) {}, graphs_of(asked, left_out))) {
    if (!is_asked_for(p.name, asked.programs)) continue;
    if (asked.programs.empty() && takes_long(p.name)) continue;
    names.push_back(p.name);
  }
  if (names.empty()) {
    throw cli::failure(cli::bad_usage, "--programs, --graphs: none is there whose name begins so");
  }
  return names;
}

contenders start_lanes(const cows_choice& asked) {
  std::vector<std::string> arguments{asked.size_name};
  std::error_code error;
  const auto folder = std::filesystem::canonical(asked.folder, error);
  if (!error) arguments.push_back(folder.string());
  roster all(asked.threads.setting);
  add_program_lanes(all, asked.threads.setting, "cows", arguments);
  return all.take();
}

}  // namespace

void run_on_threads(const cows_choice& asked) {
  json_file json(asked.threads.json_file);
  std::vector<std::string> left_out;
  const std::vector<std::string> programs = programs_of(asked, left_out);
  contenders all = start_lanes(asked);
  left_out.insert(left_out.end(), all.left_out.begin(), all.left_out.end());
  stealing_report made{benchmark(),
                       asked.threads,
                       {.size = asked.size_name, .programs = programs},
                       std::move(left_out)};
  fmt::print("{}", header_text(made));
  const load_watch load(all.present);
  base::rng random(1);
  for (const std::string& program : programs) {
    made.programs.emplace_back(
        measure(program, all.present, asked.threads.rounds, {}, random, show_progress));
    show_progress("");
    fmt::print("{}", to_text(made, made.programs.back()));
    std::fflush(stdout);
  }
  made.others_share = load.others_share();
  fmt::print("{}", footer_text(made));
  json.write(to_json(made));
}

}  // namespace doall::bench
