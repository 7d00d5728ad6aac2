#include "driver/benchmark.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <clocale>
#include <nlohmann/json.hpp>

#include "team/settings.hpp"
#include "topology/topology.hpp"

namespace doall::bench {

using cli::failure;

contest default_contest(std::vector<std::string> runtimes) {
  return {.threads = team::environment().threads,
          .cpus = topology::pin_order(),
          .runtimes = std::move(runtimes)};
}

void add_contest_options(cli::option_parser& options, contest& c) {
  options
      .add_option_function<std::string>(
          "--threads", [&](const std::string& text) { c.threads = cli::parse_threads(text); },
          fmt::format("Threads a loop has; by default {} ({})", c.threads,
                      team::environment().threads_why))
      ->type_name("P");
  options
      .add_option("--runtimes", c.runtimes,
                  fmt::format("Some of {}; by default all", fmt::join(c.runtimes, ",")))
      ->delimiter(',')
      ->check(CLI::IsMember(c.runtimes).description(""))
      ->type_name("LIST");
  options.add_flag_callback("--pin", [&] { c.pinned = true; }, "Pins threads; the default");
  options.add_flag_callback("--no-pin", [&] { c.pinned = false; }, "Does not");
}

result_file::result_file(std::string name) : name_(std::move(name)) {
  if (name_.empty()) return;
  out_.open(name_);
  if (!out_) throw failure(cli::failed, name_ + " cannot be written");
}

void json_file::write(const nlohmann::ordered_json& json) { file_.write(json.dump(2) + '\n'); }

void result_file::write(const std::string& text) {
  if (!out_.is_open()) return;
  out_ << text;
  out_.close();
  if (!out_) throw failure(cli::failed, name_ + " could not be written to its end");
}

void show_progress(const std::string& text) {
  static const bool shown = isatty(STDERR_FILENO) != 0;
  if (shown) fmt::print(stderr, "\r\033[K{}", text);
}

int run_benchmark(const std::string& name, int argc, char** argv,
                  const std::function<void(const cli::arguments&)>& body) {
  std::setlocale(LC_CTYPE, "C.UTF-8");
  signal(SIGPIPE, SIG_IGN);  // a lane that is gone is reported by name
  try {
    body({argv + 1, argv + argc});
    return cli::succeeded;
  } catch (const failure& e) {
    fmt::print(stderr, "doall {}: {}\n", name, e.what());
    return e.status;
  } catch (const std::exception& e) {
    fmt::print(stderr, "doall {}: {}\n", name, e.what());
    return cli::failed;
  }
}

}  // namespace doall::bench
