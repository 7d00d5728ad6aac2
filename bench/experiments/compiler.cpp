// doall bench compiler: what GCC's plugin gains where iterations differ, and what it costs.
//
// The programs (compiled/) are compiled while it runs, by GCC alone and by `doall cc`.
// What compiling costs, and what was tried: docs/investigations/2026-11-25-price-of-compiling.md.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <map>
#include <sstream>

#include "driver/commands.hpp"
#include "driver/experiment.hpp"
#include "driver/report.hpp"
#include "driver/verdict.hpp"
#include "process/temp_folder.hpp"
#include "schedule/grammar.hpp"
#include "sim/virtual_time.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

// Bars (issue: the compiler's half).
constexpr double speed_least = 1.6;      // over GCC's static, on two threads
constexpr double price_most = 1.01;      // of a loop that nobody steers
constexpr double compiling_most = 1.05;  // of GCC's time
constexpr double imbalance_most = 1.05;  // in virtual time
constexpr std::uint32_t many_workers[] = {8, 16, 24, 32, 40};

struct source_file {
  const char* name;
  const char* plain;    // compiles it alone
  const char* command;  // of doall
};
constexpr source_file irregular[] = {
    {"spmv.c", "gcc", "cc"}, {"spmv.cpp", "g++", "c++"}, {"spmv.f90", "gfortran", "fortran"}};
constexpr source_file regular = {"unsteered.c", "gcc", "cc"};
constexpr source_file usual = {"particles.cpp", "g++", "c++"};  // most of it is no loop
constexpr const char* kernels[] = {"triad", "stencil", "sweeps", "residual", "gradient", "pairs"};
constexpr const char* by_costs[] = {"wsrw", "best-static"};
constexpr const char* levels[] = {"-O2", "-O3"};

fs::path own_folder() { return fs::canonical("/proc/self/exe").parent_path(); }

// A program in one of the ways to build and run it.
struct way {
  std::string name;
  words command;
  std::vector<double> rounds_ns = {};
};

struct task {
  std::string program;
  std::vector<way> ways;
  std::string answer = {};  // that all must give

  const way& of(const std::string& name) const {
    for (const way& w : ways) {
      if (w.name == name) return w;
    }
    throw lane_error(program + " was not run as " + name);
  }
  // The first's time over the second's, round by round.
  ratio over(const std::string& one, const std::string& other) const {
    return ratio_of(of(one).rounds_ns, of(other).rounds_ns);
  }
};

struct dealt {
  std::string program;
  std::string schedule;
  std::uint32_t workers;
  double imbalance;
};

struct compiled : outcome {
  fs::path work;  // where programs are
  std::string doall;
  fs::path sources;
  std::vector<task> irregular = {};
  std::vector<task> regular = {};             // a kernel at a level each
  std::vector<task> compiling = {};           // CPU time of the compilers
  std::vector<dealt> balance = {};            // in virtual time
  std::map<std::string, double> limits = {};  // by program: no schedule is faster over static

  words variables() const {
    words all{fmt::format("OMP_NUM_THREADS={}", asked.setting.threads)};
    if (asked.setting.pinned) all.emplace_back("OMP_PROC_BIND=true");
    return all;
  }
};

// Its compiler writes modules.
bool is_fortran(const source_file& of) { return std::string(of.plain) == "gfortran"; }

words compiler_of(const compiled& m, const source_file& of, bool ours) {
  return ours ? words{m.doall, of.command} : words{of.plain};
}

// As a build starts it: the drivers are a program of their own beside the command.
words compiler_in_builds(const compiled& m, const source_file& of, bool ours) {
  const fs::path driver = fs::path(m.doall).parent_path() / fmt::format("doall-{}", of.command);
  return {ours ? driver.string() : of.plain};
}

std::string compile(const compiled& m, const source_file& of, bool ours, const std::string& level,
                    const words& more = {}) {
  const std::string program = (m.work / fmt::format("{}{}{}{}", of.name, ours ? "-doall" : "-gcc",
                                                    level, more.empty() ? "" : "-seen"))
                                  .string();
  words command = compiler_of(m, of, ours);
  for (const std::string& word : {level, std::string("-fopenmp"), (m.sources / of.name).string()})
    command.push_back(word);
  if (is_fortran(of)) command.push_back("-J" + m.work.string());
  command.insert(command.end(), more.begin(), more.end());
  for (const char* word : {"-lm", "-o"}) command.emplace_back(word);
  command.push_back(program);
  run(command);
  return program;
}

// What each iteration costs, as the compiler's own function says.
std::vector<double> costs_of(const compiled& m, const source_file& of) {
  const std::string witness = (m.work / "witness.o").string();
  const std::string file = (m.work / fmt::format("{}.costs", of.name)).string();
  run({"gcc", "-O2", "-c", (m.sources / "witness.c").string(), "-o", witness});
  const std::string program = compile(m, of, true, "-O2", {witness});
  run({program, "1"}, {"WITNESS_COSTS=" + file, "OMP_NUM_THREADS=1"});
  std::ifstream in(file);
  std::size_t line = 0;
  std::size_t n = 0;
  in >> line >> n;
  std::vector<double> costs(n);
  for (double& cost : costs) in >> cost;
  if (!in || n == 0) throw lane_error(fmt::format("{} has no loop with costs", of.name));
  return costs;
}

double imbalance_of(const std::vector<double>& costs, const std::string& schedule,
                    std::uint32_t workers) {
  return sim::run_once({.schedule = schedules::parse(schedule).value,
                        .shape = {costs.size(), workers},
                        .costs = sim::iteration_costs(costs)})
      .imbalance();
}

void deal(compiled& m) {
  for (const source_file& of : irregular) {
    const std::vector<double> costs = costs_of(m, of);
    m.limits[of.name] = imbalance_of(costs, "static", m.asked.setting.threads);
    for (const char* schedule : {"static", by_costs[0], by_costs[1]}) {
      for (const std::uint32_t workers : many_workers)
        m.balance.push_back({of.name, schedule, workers, imbalance_of(costs, schedule, workers)});
    }
  }
}

void build(compiled& m) {
  for (const source_file& of : irregular) {
    task t{of.name, {{"GCC", {compile(m, of, false, "-O2"), "40"}}}};
    const std::string ours = compile(m, of, true, "-O2");
    for (const char* schedule : by_costs)
      t.ways.push_back(
          {schedule, {m.doall, "run", fmt::format("--schedule={}", schedule), ours, "40"}});
    m.irregular.push_back(std::move(t));
  }
  for (const char* level : levels) {
    const std::string gcc = compile(m, regular, false, level);
    const std::string ours = compile(m, regular, true, level);
    for (const char* kernel : kernels) {
      m.regular.push_back({fmt::format("{} {}", kernel, level),
                           {{"GCC on libgomp", {gcc, kernel}},
                            {"ours on libgomp", {ours, kernel}},
                            {"GCC on doall", {m.doall, "run", gcc, kernel}},
                            {"ours on doall", {m.doall, "run", ours, kernel}}}});
    }
  }
  for (const source_file& of : {irregular[0], irregular[1], irregular[2], regular, usual}) {
    task t{of.name, {}};
    for (const bool ours : {false, true}) {
      words command = compiler_in_builds(m, of, ours);
      for (const std::string& word :
           {std::string("-O2"), std::string("-fopenmp"), std::string("-c"),
            (m.sources / of.name).string(), std::string("-o"), (m.work / "timed.o").string()})
        command.push_back(word);
      if (is_fortran(of)) command.push_back("-J" + m.work.string());
      t.ways.push_back({ours ? "ours" : "GCC", command});
    }
    m.compiling.push_back(std::move(t));
  }
}

// Once more in that way: "NANOSECONDS ANSWER".
void time(const compiled& m, task& t, way& w) {
  std::istringstream said(run(w.command, m.variables()).output);
  double ns = 0;
  std::string answer;
  said >> ns >> answer;
  if (t.answer.empty()) t.answer = answer;
  if (!said || answer != t.answer)
    throw lane_error(fmt::format("{} as {} has the answer {}, expected {}", t.program, w.name,
                                 answer, t.answer));
  w.rounds_ns.push_back(ns);
}

void measure(compiled& m) {
  build(m);
  deal(m);
  measure_rounds(m, [&](base::rng& random) {
    std::vector<std::pair<task*, way*>> turns;
    for (auto* tasks : {&m.irregular, &m.regular}) {
      for (task& t : *tasks) {
        for (way& w : t.ways) turns.emplace_back(&t, &w);
      }
    }
    shuffle(turns, random);
    for (auto& [t, w] : turns) time(m, *t, *w);
    for (task& t : m.compiling) {
      for (way& w : t.ways) w.rounds_ns.push_back(run(w.command).cpu_ns);
    }
  });
}

std::string time_text(const task& t, const std::string& name) {
  return cli::duration_text(median_of(t.of(name).rounds_ns));
}

std::string to_text(const compiled& m) {
  std::string text = fmt::format("GCC's plugin, {}, {} rounds, on {}\n",
                                 threads_text(m.asked.setting), m.asked.rounds, machine_name());
  text += load_text(m.others_share);
  cli::table speeds({"sparse product", ">GCC, static", ">wsrw", ">best-static", ">speed by wsrw",
                     ">by best-static", ">limit"});
  for (const task& t : m.irregular) {
    speeds.add_row({t.program, time_text(t, "GCC"), time_text(t, "wsrw"),
                    time_text(t, "best-static"), ratio_text(t.over("GCC", "wsrw")),
                    ratio_text(t.over("GCC", "best-static")),
                    fmt::format("{:.2f}", m.limits.at(t.program))});
  }
  text += '\n' + speeds.to_text();
  std::vector<cli::table::column> columns{"imbalance in virtual time, P ="};
  for (const std::uint32_t workers : many_workers) columns.push_back(fmt::format(">{}", workers));
  cli::table balance(columns);
  for (std::size_t i = 0; i < m.balance.size(); i += std::size(many_workers)) {
    std::vector<std::string> cells{m.balance[i].program + ' ' + m.balance[i].schedule};
    for (std::size_t p = 0; p < std::size(many_workers); ++p)
      cells.push_back(fmt::format("{:.3f}", m.balance[i + p].imbalance));
    balance.add_row(std::move(cells));
  }
  text += '\n' + balance.to_text();
  cli::table prices({"nobody steers", ">GCC on libgomp", ">GCC on doall", ">ours/GCC on libgomp",
                     ">ours/GCC on doall"});
  for (const task& t : m.regular) {
    prices.add_row({t.program, time_text(t, "GCC on libgomp"), time_text(t, "GCC on doall"),
                    ratio_text(t.over("ours on libgomp", "GCC on libgomp")),
                    ratio_text(t.over("ours on doall", "GCC on doall"))});
  }
  text += '\n' + prices.to_text();
  cli::table compiling({"compiling, CPU time", ">GCC", ">doall", ">doall/GCC"});
  for (const task& t : m.compiling) {
    compiling.add_row(
        {t.program, time_text(t, "GCC"), time_text(t, "ours"), ratio_text(t.over("ours", "GCC"))});
  }
  return text + '\n' + compiling.to_text();
}

// Nothing: too few rounds. An interval that lies beyond the bar misses it.
std::optional<bool> at_most(const ratio& r, double bar) {
  if (!r.interval) return std::nullopt;
  return r.interval->low <= bar;
}
std::optional<bool> at_least(const ratio& r, double bar) {
  if (!r.interval) return std::nullopt;
  return r.median >= bar;
}

std::vector<verdict> judge(const compiled& m) {
  std::vector<verdict> all;
  for (const char* schedule : by_costs) {
    demand speed(fmt::format("GCC's static over {}", schedule), fmt::format(">= {}", speed_least),
                 demand::limit::least);
    for (const task& t : m.irregular) {
      const ratio r = t.over("GCC", schedule);
      speed.add(t.program, r, at_least(r, speed_least));
    }
    if (m.asked.setting.threads == 2) add_to(all, speed.made());
    demand balance(fmt::format("imbalance of {}", schedule), fmt::format("<= {}", imbalance_most));
    for (const dealt& d : m.balance) {
      if (d.schedule == schedule)
        balance.add(fmt::format("{}, P = {}", d.program, d.workers), {d.imbalance},
                    d.imbalance <= imbalance_most);
    }
    add_to(all, balance.made());
  }
  for (const char* where : {"libgomp", "doall"}) {
    demand price(fmt::format("unsteered over GCC on {}", where), fmt::format("<= {}", price_most));
    for (const task& t : m.regular) {
      const ratio r = t.over(fmt::format("ours on {}", where), fmt::format("GCC on {}", where));
      price.add(t.program, r, at_most(r, price_most));
    }
    add_to(all, price.made());
  }
  demand compiling("compiling", fmt::format("<= {}", compiling_most));
  for (const task& t : m.compiling) {
    const ratio r = t.over("ours", "GCC");
    compiling.add(t.program, r, at_most(r, compiling_most));
  }
  add_to(all, compiling.made());
  return all;
}

ordered_json rows_json(const std::vector<task>& tasks) {
  ordered_json rows = ordered_json::array();
  for (const task& t : tasks) {
    for (const way& w : t.ways) {
      ordered_json row{{"program", t.program}, {"way", w.name}};
      add_times(row, w.rounds_ns, w.rounds_ns, of_programs_ns);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

// Schema "doall-bench-compiler/1"; this file's page has it.
ordered_json to_json(const compiled& m, const std::vector<verdict>& verdicts) {
  ordered_json json = to_json(static_cast<const outcome&>(m), "compiler");
  json["rounds"] = m.asked.rounds;
  json["limits"] = m.limits;
  json["irregular"] = rows_json(m.irregular);
  json["regular"] = rows_json(m.regular);
  json["compiling"] = rows_json(m.compiling);
  json["dealt"] = ordered_json::array();
  for (const dealt& d : m.balance) {
    json["dealt"].push_back({{"program", d.program},
                             {"schedule", d.schedule},
                             {"workers", d.workers},
                             {"imbalance", d.imbalance}});
  }
  json["verdicts"] = list_json(verdicts);
  return json;
}

void run_compiler(const cli::arguments& args) {
  run_options asked{.setting = default_contest({"doall"}), .rounds = 15};
  const fs::path here = own_folder();
  std::string doall = (here / "../../bin/doall").lexically_normal().string();
  std::string sources = (here / "compiled").string();
  cli::option_parser options(
      "bench compiler", "[OPTIONS]",
      "What 'doall cc', 'doall c++' and 'doall fortran' gain on a sparse matrix with rows of\n"
      "different lengths, by the costs that they find alone; and what they cost where nobody\n"
      "steers, and at compile time. Compiles its programs, with GCC and with doall.",
      "Needs GCC and doall's plugin. Exit status 1 also when a result is wrong.");
  add_rounds_option(options, asked);
  add_contest_options(options, asked.setting);
  add_json_option(options, asked);
  options.add_option("--doall", doall, "the command, by default this build's").shown_as("FILE");
  options.add_option("--sources", sources, "where the programs are").shown_as("FOLDER");
  if (!options.read(args)) return;
  result_file json(asked.json_file);
  const cli::temp_folder work;
  compiled m{{asked}, work.path(), doall, sources};
  measure(m);
  const std::vector<verdict> verdicts = judge(m);
  fmt::print("{}\n{}", to_text(m), to_text(verdicts));
  json.write(to_json(m, verdicts));
}

const experiment here{"compiler", run_compiler};

}  // namespace
}  // namespace doall::bench
