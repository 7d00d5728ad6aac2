// doall bench burden: what a parallel loop costs when its body is empty.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <clocale>
#include <fstream>

#include "burden/contenders.hpp"
#include "burden/measurement.hpp"
#include "burden/report.hpp"
#include "cli/options.hpp"
#include "team/settings.hpp"
#include "topology/topology.hpp"

namespace {

using namespace doall::bench;
using doall::cli::failure;

struct request {
  contest setting;
  unsigned rounds = 30;
  std::string json_file;
};

// False after --help. Throws failure.
bool read_request(const doall::cli::arguments& args, request& r) {
  r.setting.threads = doall::team::environment().threads;
  r.setting.cpus = doall::topology::pin_order();
  r.setting.runtimes = runtime_names();
  std::string threads;

  doall::cli::option_parser options(
      "bench burden", "[OPTIONS]",
      "What a parallel loop costs when its body is empty: 128 iterations, every runtime in\n"
      "turn in one run, beside the round trip of a cache line between two cores.",
      "Exit status 1 also when an iteration did not run exactly once.");
  options
      .add_option("--threads", threads,
                  fmt::format("Threads a loop has; by default {} ({})", r.setting.threads,
                              doall::team::environment().threads_why))
      ->type_name("P");
  options.add_option("--rounds", r.rounds, "Rounds, each of everybody once; by default 30")
      ->check(CLI::Range(1U, 100'000U).description(""))
      ->type_name("N");
  options
      .add_option("--runtimes", r.setting.runtimes,
                  fmt::format("Some of {}; by default all", fmt::join(runtime_names(), ",")))
      ->delimiter(',')
      ->check(CLI::IsMember(runtime_names()).description(""))
      ->type_name("LIST");
  options.add_flag_callback("--pin", [&] { r.setting.pinned = true; }, "Pins threads; the default");
  options.add_flag_callback("--no-pin", [&] { r.setting.pinned = false; }, "Does not");
  options.add_option("--json", r.json_file, "Writes the numbers to FILE as well")
      ->type_name("FILE");
  if (!options.read(args)) return false;
  if (!threads.empty()) r.setting.threads = doall::cli::parse_threads(threads);
  return true;
}

void run(const request& r) {
  // Opened first: a bad name shows before the measurement, not after it.
  std::ofstream json;
  if (!r.json_file.empty()) {
    json.open(r.json_file);
    if (!json) throw failure(doall::cli::failed, r.json_file + " cannot be written");
  }

  contenders all = start_contenders(r.setting);
  if (all.present.empty()) {
    throw failure(doall::cli::failed,
                  fmt::format("nobody can be measured:\n{}", fmt::join(all.left_out, "\n")));
  }
  const bool shown = isatty(STDERR_FILENO) != 0;
  const auto progress = [&](unsigned round) {
    if (shown) fmt::print(stderr, "\r\033[Kround {} of {}", round + 1, r.rounds);
  };
  measurement m = measure(r.setting, all.present, r.rounds, progress);
  if (shown) fmt::print(stderr, "\r\033[K");

  const report made{r.setting, r.rounds, std::move(all.left_out), std::move(m)};
  fmt::print("{}", to_text(made));
  if (!json.is_open()) return;
  write_json(made, json);
  json.close();
  if (!json) throw failure(doall::cli::failed, r.json_file + " could not be written to its end");
}

}  // namespace

int main(int argc, char** argv) {
  std::setlocale(LC_CTYPE, "C.UTF-8");
  signal(SIGPIPE, SIG_IGN);  // a lane that is gone is reported by name
  try {
    request r;
    if (read_request({argv + 1, argv + argc}, r)) run(r);
    return doall::cli::succeeded;
  } catch (const failure& e) {
    fmt::print(stderr, "doall bench burden: {}\n", e.what());
    return e.status;
  } catch (const std::exception& e) {
    fmt::print(stderr, "doall bench burden: {}\n", e.what());
    return doall::cli::failed;
  }
}
