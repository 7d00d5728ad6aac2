// doall bench headers: what twenty loops cost in a user's file, beside oneTBB's and plain ones.
//
// The files are written and compiled while it runs, without linking. What the header itself costs
// is in the times, for a user pays it with the first loop; functions and bytes are those that the
// second ten loops make. The same loops are held to a bound in the tests (tests/native/doors).
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
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

constexpr int loops = 20;
constexpr double most_functions = 5;  // a loop
constexpr double most_over_tbb = 1;

struct library {
  const char* name;
  const char* header;  // "": none
  const char* begin;
  const char* end;
};
constexpr library libraries[] = {
    {"plain", "", "for (int i = 0; i < n; ++i) {", "}"},
    {"doall", "doall/doall.hpp", "doall::parallel_for(0, n, [=](int i) {", "});"},
    {"tbb", "oneapi/tbb/parallel_for.h", "oneapi::tbb::parallel_for(0, n, [=](int i) {", "});"}};

// Bodies of five kinds; each loop has a number of its own.
constexpr const char* bodies[] = {
    "a[i] = b[i] * x + {};", "a[i] += x * {};", "a[i] = b[i] < x ? b[i] : {};",
    "for (int k = 0; k < {}; ++k) a[i] += b[k];", "a[i] = (b[i] + b[i + 1]) / {};"};

struct compiled_file {
  const library* by;
  std::vector<double> rounds_ns = {};  // CPU time of the compiler
  double functions = 0;                // a loop makes, without the cold parts that are split off
  double bytes = 0;
};

struct measured : outcome {
  fs::path work;
  std::string compiler;
  std::string includes;
  std::vector<compiled_file> files = {};

  const compiled_file& of(std::string_view name) const {
    for (const compiled_file& f : files) {
      if (f.by->name == name) return f;
    }
    throw lane_error(fmt::format("{} was not compiled", name));
  }
};

std::string source_of(const library& by, int count) {
  std::string text = *by.header == '\0' ? "" : fmt::format("#include <{}>\n", by.header);
  for (int k = 1; k <= count; ++k) {
    const std::string body =
        fmt::format(fmt::runtime(bodies[static_cast<std::size_t>(k) % std::size(bodies)]), k);
    text += fmt::format("void f{}(double* a, double* b, double x, int n) {{ {} {} {} }}\n", k,
                        by.begin, body, by.end);
  }
  return text;
}

// Compiles so many loops; returns the compiler's CPU time.
double compile(const measured& m, const library& by, int count, const fs::path& object) {
  const fs::path source = fs::path(object).replace_extension(".cpp");
  std::ofstream(source) << source_of(by, count);
  words command{m.compiler, "-std=c++20", "-O2", "-c", source.string(), "-o", object.string()};
  if (!m.includes.empty()) command.push_back("-I" + m.includes);
  return run(command).cpu_ns;
}

double functions_in(const fs::path& object) {
  std::istringstream lines(run({"nm", "-C", object.string()}).output);
  double made = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool is_code = line.find(" t ") == 16 || line.find(" T ") == 16 ||
                         line.find(" w ") == 16 || line.find(" W ") == 16;
    if (is_code && line.find("clone .cold") == std::string::npos) ++made;
  }
  return made;
}

double code_bytes_in(const fs::path& object) {
  std::istringstream said(run({"size", object.string()}).output);
  std::string titles;
  std::getline(said, titles);
  double bytes = 0;
  said >> bytes;
  return bytes;
}

void measure(measured& m) {
  for (const library& by : libraries) {
    compiled_file file{&by};
    const fs::path half = m.work / fmt::format("{}-half.o", by.name);
    const fs::path whole = m.work / fmt::format("{}.o", by.name);
    compile(m, by, loops / 2, half);
    compile(m, by, loops, whole);
    file.functions = (functions_in(whole) - functions_in(half)) / (loops - loops / 2);
    file.bytes = (code_bytes_in(whole) - code_bytes_in(half)) / (loops - loops / 2);
    m.files.push_back(std::move(file));
  }
  measure_rounds(m, [&](base::rng& random) {
    std::vector<compiled_file*> turns;
    for (compiled_file& f : m.files) turns.push_back(&f);
    shuffle(turns, random);
    for (compiled_file* f : turns)
      f->rounds_ns.push_back(
          compile(m, *f->by, loops, m.work / fmt::format("{}-timed.o", f->by->name)));
  });
}

std::string to_text(const measured& m) {
  std::string text = fmt::format("{} loops in a user's file, {} -O2, {} rounds, on {}\n", loops,
                                 m.compiler, m.asked.rounds, machine_name());
  text += load_text(m.others_share);
  cli::table rows({"loops of", ">compiling, CPU time", ">over tbb", ">functions a loop",
                   ">bytes of code a loop"});
  for (const compiled_file& f : m.files) {
    rows.add_row({f.by->name, cli::duration_text(median_of(f.rounds_ns)),
                  ratio_text(ratio_of(f.rounds_ns, m.of("tbb").rounds_ns)),
                  fmt::format("{:.1f}", f.functions), fmt::format("{:.0f}", f.bytes)});
  }
  return text + '\n' + rows.to_text();
}

std::vector<verdict> judge(const measured& m) {
  const compiled_file& ours = m.of("doall");
  const compiled_file& theirs = m.of("tbb");
  std::vector<verdict> all;
  demand functions("functions a loop", fmt::format("<= {}", most_functions));
  functions.add("doall", {ours.functions}, ours.functions <= most_functions);
  add_to(all, functions.made());
  demand bytes("bytes of code a loop over tbb", fmt::format("<= {}", most_over_tbb));
  bytes.add("doall", {ours.bytes / theirs.bytes}, ours.bytes <= most_over_tbb * theirs.bytes);
  add_to(all, bytes.made());
  demand time("compiling over tbb", fmt::format("<= {}", most_over_tbb));
  const ratio r = ratio_of(ours.rounds_ns, theirs.rounds_ns);
  std::optional<bool> held;
  if (r.interval) held = r.interval->low <= most_over_tbb;
  time.add("doall", r, held);
  add_to(all, time.made());
  return all;
}

// Schema "doall-bench-headers/1".
ordered_json to_json(const measured& m, const std::vector<verdict>& verdicts) {
  ordered_json json = to_json(static_cast<const outcome&>(m), "headers");
  json["rounds"] = m.asked.rounds;
  json["compiler"] = m.compiler;
  json["files"] = ordered_json::array();
  for (const compiled_file& f : m.files) {
    ordered_json row{{"library", f.by->name}, {"functions", f.functions}, {"bytes", f.bytes}};
    add_times(row, f.rounds_ns, f.rounds_ns, of_programs_ns);
    json["files"].push_back(std::move(row));
  }
  json["verdicts"] = list_json(verdicts);
  return json;
}

void run_headers(const cli::arguments& args) {
  run_options asked{.setting = default_contest({"doall"}), .rounds = 15};
  std::string compiler = "g++";
  std::string includes;
  cli::option_parser options(
      "bench headers", "[OPTIONS]",
      "What twenty parallel_for cost in a user's file: the compiler's time, functions and bytes\n"
      "of code, beside the same loops by oneTBB and as plain ones.",
      "Needs a compiler, binutils, and the headers of doall and oneTBB.");
  add_rounds_option(options, asked);
  add_json_option(options, asked);
  options.add_option("--compiler", compiler, "what compiles").shown_as("COMMAND");
  options.add_option("--includes", includes, "where doall's headers are, if not with the system's")
      .shown_as("FOLDER");
  if (!options.read(args)) return;
  result_file json(asked.json_file);
  const cli::temp_folder work;
  measured m{{asked}, work.path(), compiler, includes};
  measure(m);
  const std::vector<verdict> verdicts = judge(m);
  fmt::print("{}\n{}", to_text(m), to_text(verdicts));
  json.write(to_json(m, verdicts));
}

const experiment here{"headers", run_headers};

}  // namespace
}  // namespace doall::bench
