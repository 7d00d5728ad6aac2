// One run of a program after the other, each giving one number.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/child.hpp"

namespace doall::cli {

// The number in the last line "NAME: number" or "NAME=number" of `text`; what
// follows the number, a unit say, does not matter.
std::optional<double> find_metric(std::string_view text, std::string_view name);

class measurer {
 public:
  // `metric` empty: the wall time of the run, in seconds; else what the program
  // prints under that name on standard output.
  measurer(launch program, std::string metric);

  // Runs the program with these variables, reading nothing, its output hidden.
  // Throws failure, with its output, when it does not succeed or does not print
  // the metric (`label` says in the message which run it was); throws
  // interrupted when a signal asked us to end meanwhile.
  double run(const environment_changes& environment, const std::string& label);

 private:
  launch program_;
  std::string metric_;
  supervisor supervisor_;
};

}  // namespace doall::cli
