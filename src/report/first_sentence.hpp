// What a run's report begins with: how long the run took, and one sentence on what to do first. It
// ranks what can be done by the time that it saves, as a share of the run's, and puts first what
// can be set from outside: most who read it have the program, not its source.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "observe/record.hpp"
#include "report/loop_advice.hpp"

namespace doall::cli {

// What the command has seen of a run, beside its processes. The last members are for a run whose
// processes left no report.
struct seen_run {
  std::uint64_t wall_ns = 0;               // 0: not known; what its longest process took
  std::optional<double> others_part = {};  // of the CPUs, that other programs had meanwhile
  std::uint32_t lost_processes = 0;        // that ran something, and could leave no report
  std::uint64_t cpu_ns = 0;                // of all processes; 0: not known
  std::uint64_t reported_cpu_ns = 0;       // of those that left a report
  observe::process_facts facts = {};
  std::string no_report = {};  // why there is none, in a sentence; empty: nothing ran in parallel
};

struct whole_run {
  std::string command;
  std::string settings;
  std::uint64_t wall_ns = 0;
  std::uint64_t processes_ns = 0;  // of all processes with loops together
  std::uint64_t began_s = 0;
  std::uint32_t cpus = 0;
  std::uint32_t workers = 0;
  std::optional<double> others_part = {};
  std::uint32_t lost_processes = 0;
  std::uint64_t cpu_ns = 0;
  std::uint64_t reported_cpu_ns = 0;
  std::string no_report = {};  // as of seen_run, if so

  // The part of its time, or of its processes', some of which ran at the same time; 0 if that is
  // not known.
  double share(double ns) const {
    const std::uint64_t all_ns = std::max(wall_ns, processes_ns);
    return all_ns == 0 ? 0 : ns / static_cast<double>(all_ns);
  }
};

// As the processes tell it: the one that ran longest stands for the run.
whole_run run_of(const std::vector<observe::report>& reports, const seen_run& seen);

// What the run did that its report does not show; empty: nothing worth a word.
std::string missing_text(const whole_run& run);

std::string first_sentence(const std::vector<observe::report>& reports, const all_advice& of,
                           const whole_run& run);

}  // namespace doall::cli
