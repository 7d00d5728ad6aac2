// What the benchmarks' command lines have in common.
#pragma once

#include <fstream>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.hpp"
#include "driver/contenders.hpp"

namespace doall::bench {

// Threads, CPUs and runtimes as nobody asked otherwise; and the options to ask:
// --threads, --runtimes, --pin, --no-pin. `runtimes` are all there are.
contest default_contest(std::vector<std::string> runtimes);
void add_contest_options(cli::option_parser& options, contest& c);

// Where --svg=FILE goes. Opened before the measurement, so that a bad
// name shows then and not after it. Throws cli::failure, as writing does.
class result_file {
 public:
  explicit result_file(std::string name);  // "": nowhere
  void write(const std::string& text);

 private:
  std::string name_;
  std::ofstream out_;
};

// Where --json=FILE goes, likewise.
class json_file {
 public:
  explicit json_file(std::string name) : file_(std::move(name)) {}
  void write(const nlohmann::ordered_json& json);

 private:
  result_file file_;
};

// Rewrites one line on a terminal's standard error; nothing elsewhere.
void show_progress(const std::string& text);

// main(): calls `body` with the arguments and turns what it throws into a message,
// "doall NAME: ...", and a status.
int run_benchmark(const std::string& name, int argc, char** argv,
                  const std::function<void(const cli::arguments&)>& body);

}  // namespace doall::bench
