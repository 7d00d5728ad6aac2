// Runs a program again and again; each run gives one number.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "process/child.hpp"

namespace doall::cli {

// The number in the last line "NAME: number" or "NAME=number" of `text`. Text after the number, a
// unit say, is ignored.
std::optional<double> find_metric(std::string_view text, std::string_view name);

class measurer {
 public:
  // `metric` empty: measures the wall time of the run, in seconds; else reads what the program
  // prints under that name on standard output.
  measurer(launch program, std::string metric);

  // Runs the program with these variables, without input, and hides its output. Throws failure,
  // with its output, when it does not succeed or does not print the metric (the message names the
  // run by `label`). Throws interrupted when a signal asked the command to end meanwhile.
  double run(const environment_changes& environment, const std::string& label);

 private:
  launch program_;
  std::string metric_;
  supervisor supervisor_;
};

}  // namespace doall::cli
