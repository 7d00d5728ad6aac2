// Runs a program again and again; each run gives one number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "process/child.hpp"

namespace doall::cli {

// The number in the last line "NAME: number" or "NAME=number" of `text`. Text after the number, a
// unit say, is ignored.
std::optional<double> find_metric(std::string_view text, std::string_view name);

// What a run has given.
struct measured {
  double sample = 0;
  // Of what it printed on standard output, without the lines that have the metric, and of each file
  // that it is to write: the same for the same answers.
  std::vector<std::uint64_t> answers = {};
};

// FNV-1a, continued from `hash`.
inline constexpr std::uint64_t no_text_hashed = 0xcbf29ce484222325;
std::uint64_t hash_of(std::string_view text, std::uint64_t hash = no_text_hashed);

class measurer {
 public:
  // `metric` empty: measures the wall time of the run, in seconds; else reads what the program
  // prints under that name on standard output. `files`: what it writes its answers to.
  measurer(launch program, std::string metric, std::vector<std::string> files);

  // Runs the program with these variables, without input, and hides its output. Throws failure,
  // with its output, when it does not succeed or does not print the metric (the message names the
  // run by `label`), or does not write one of the files. Throws interrupted when a signal asked the
  // command to end meanwhile.
  measured run(const environment_changes& environment, const std::string& label);

 private:
  launch program_;
  std::string metric_;
  std::vector<std::string> files_;
  supervisor supervisor_;
};

}  // namespace doall::cli
