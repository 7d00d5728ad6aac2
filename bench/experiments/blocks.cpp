// doall bench blocks: Clang's static loops, cut by what their blocks took.
//
// The programs (compiled/) are compiled by Clang while it runs.
#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "driver/commands.hpp"
#include "driver/experiment.hpp"
#include "driver/report.hpp"
#include "driver/verdict.hpp"
#include "process/temp_folder.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr double speed_least = 1.35;  // over libomp's static, on two threads
constexpr double price_most = 1.02;   // of static on doall, over libomp's

constexpr const char* programs[] = {"triangle", "spmv"};
constexpr const char* libomp = "libomp";
constexpr const char* ours = "doall, static";
constexpr const char* measured = "doall, best-static";

// A program in one of the ways to run it.
struct way {
  std::string program;
  std::string name;
  words command;
  std::vector<double> rounds_ns = {};
};

struct measurement : outcome {
  std::vector<way> ways = {};
  std::map<std::string, std::string> answers = {};  // of a program, that all ways must give

  const way& of(const std::string& program, const std::string& name) const {
    for (const way& w : ways) {
      if (w.program == program && w.name == name) return w;
    }
    throw lane_error(program + " was not run on " + name);
  }
  // The first's time over the second's, round by round.
  ratio over(const std::string& program, const char* one, const char* other) const {
    return ratio_of(of(program, one).rounds_ns, of(program, other).rounds_ns);
  }
};

void build(measurement& m, const std::string& clang, const fs::path& sources, const fs::path& work,
           const std::string& doall) {
  constexpr const char* calls = "40";  // the program tells the median
  for (const std::string program : programs) {
    const std::string file = (work / program).string();
    run({clang, "-O2", "-fopenmp", (sources / (program + ".c")).string(), "-o", file, "-lm"});
    m.ways.push_back({program, libomp, {file, calls}});
    m.ways.push_back({program, ours, {doall, "run", file, calls}});
    m.ways.push_back({program, measured, {doall, "run", "--schedule=best-static", file, calls}});
  }
}

// Once more in that way: "NANOSECONDS ANSWER".
void time(measurement& m, way& w) {
  words variables{fmt::format("OMP_NUM_THREADS={}", m.asked.setting.threads)};
  if (m.asked.setting.pinned) variables.emplace_back("OMP_PROC_BIND=true");
  std::istringstream said(run(w.command, variables).output);
  double ns = 0;
  std::string answer;
  said >> ns >> answer;
  const std::string& right = m.answers.try_emplace(w.program, answer).first->second;
  if (!said || answer != right)
    throw lane_error(
        fmt::format("{} on {} has the answer {}, expected {}", w.program, w.name, answer, right));
  w.rounds_ns.push_back(ns);
}

std::string to_text(const measurement& m) {
  cli::table table({"program", ">libomp, static", ">doall, static", ">doall, best-static",
                    ">libomp's static over it", ">ours over it"});
  for (const char* program : programs) {
    std::vector<std::string> cells{program};
    for (const char* name : {libomp, ours, measured})
      cells.push_back(cli::duration_text(median_of(m.of(program, name).rounds_ns)));
    cells.push_back(ratio_text(m.over(program, libomp, measured)));
    cells.push_back(ratio_text(m.over(program, ours, measured)));
    table.add_row(std::move(cells));
  }
  return fmt::format("Static loops of Clang's, {}, {} rounds, on {}\n{}\n{}",
                     threads_text(m.asked.setting), m.asked.rounds, machine_name(),
                     load_text(m.others_share), table.to_text());
}

std::vector<verdict> judge(const measurement& m) {
  std::vector<verdict> all;
  demand speed("libomp's static over best-static", fmt::format(">= {}", speed_least),
               demand::limit::least);
  demand price("static on doall over libomp's", fmt::format("<= {}", price_most));
  for (const char* program : programs) {
    const ratio faster = m.over(program, libomp, measured);
    speed.add(program, faster,
              faster.interval ? std::optional(faster.median >= speed_least) : std::nullopt);
    const ratio paid = m.over(program, ours, libomp);
    price.add(program, paid,
              paid.interval ? std::optional(paid.interval->low <= price_most) : std::nullopt);
  }
  if (m.asked.setting.threads == 2) add_to(all, speed.made());
  add_to(all, price.made());
  return all;
}

// Schema "doall-bench-blocks/1"; this file's page has it.
ordered_json to_json(const measurement& m, const std::vector<verdict>& verdicts) {
  ordered_json json = to_json(static_cast<const outcome&>(m), "blocks");
  json["rounds"] = m.asked.rounds;
  json["rows"] = ordered_json::array();
  for (const way& w : m.ways) {
    ordered_json row{{"program", w.program}, {"way", w.name}};
    add_times(row, w.rounds_ns, w.rounds_ns, of_programs_ns);
    json["rows"].push_back(std::move(row));
  }
  json["verdicts"] = list_json(verdicts);
  return json;
}

void run_blocks(const cli::arguments& args) {
  measurement m{{{.setting = default_contest({"doall", "libomp"}), .rounds = 15}}};
  const fs::path here = fs::canonical("/proc/self/exe").parent_path();
  std::string doall = (here / "../../bin/doall").lexically_normal().string();
  std::string sources = (here / "compiled").string();
  std::string clang = "clang-19";
  cli::option_parser options(
      "bench blocks", "[OPTIONS]",
      "Clang's static loops over a triangle and over a sparse matrix with rows of a power law:\n"
      "blocks cut by what they took in earlier calls (best-static), equal blocks, and libomp's.",
      "Needs Clang and its libomp. Exit status 1 also when a result is wrong.");
  add_rounds_option(options, m.asked);
  add_contest_options(options, m.asked.setting);
  add_json_option(options, m.asked);
  options.add_option("--clang", clang, "the compiler").shown_as("FILE");
  options.add_option("--doall", doall, "the command, by default this build's").shown_as("FILE");
  options.add_option("--sources", sources, "where the programs are").shown_as("FOLDER");
  if (!options.read(args)) return;
  result_file json(m.asked.json_file);
  const cli::temp_folder work;
  build(m, clang, sources, work.path(), doall);
  measure_rounds(m, [&](base::rng& random) {
    std::vector<way*> turns;
    for (way& w : m.ways) turns.push_back(&w);
    shuffle(turns, random);
    for (way* w : turns) time(m, *w);
  });
  const std::vector<verdict> verdicts = judge(m);
  fmt::print("{}\n{}", to_text(m), to_text(verdicts));
  json.write(to_json(m, verdicts));
}

const experiment here{"blocks", run_blocks};

}  // namespace
}  // namespace doall::bench
