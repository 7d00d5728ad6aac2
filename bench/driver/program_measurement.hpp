// The measurement of one program: everybody in turn, round by round, so that a machine
// that slows down slows all of them.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "driver/program_contenders.hpp"
#include "driver/statistics.hpp"

namespace doall::bench {

// One run of a program.
struct run_times {
  double total_ns = 0;
  // Of programs that tell fine loops from coarse ones; otherwise zeros.
  double fine_ns = 0;
  double coarse_ns = 0;
  double fine_loops = 0;
  double short_loops = 0;  // of the fine ones, under 0.1 ms
  double least_ns = 0;     // a fine loop
  double most_ns = 0;
};

// An entrant's times in one program.
struct series {
  entrant of;
  std::vector<run_times> runs = {};         // every run of every round
  std::vector<double> rounds_ns = {};       // the median of each round's runs
  std::vector<double> fine_rounds_ns = {};  // likewise, of the time in fine loops
  bool given_up = false;                    // by patience, below

  bool tells_fine_loops() const { return !runs.empty() && runs.front().fine_loops > 0; }
};

struct program_result {
  std::string program;
  series serial;  // on one thread, without a runtime
  std::vector<series> all = {};

  // Of a name's settings the one that is faster; null: does not take part.
  const series* fastest(const std::string& name) const;
  // name_of() each, in the order of the lanes.
  std::vector<std::string> names() const;
};

// How many runs a turn has: as many as fill some milliseconds, within these.
struct turn_length {
  std::size_t runs_min = 1;
  std::size_t runs_max = 20;
};

// Who takes that many times as long as the fastest in so many first rounds takes part in no more:
// others have the time. None by default.
struct patience {
  double times = std::numeric_limits<double>::infinity();
  unsigned rounds = 2;
};

using progress = std::function<void(const std::string& what)>;

// Checks everybody's answer, then runs the rounds. Throws lane_error when an answer is wrong or a
// lane is gone.
program_result measure(const std::string& program, const std::vector<contender>& present,
                       unsigned rounds, turn_length length, base::rng& random, const progress& show,
                       patience with = {});

// That member of all runs.
std::vector<double> all_of(const series& s, double run_times::* member);

}  // namespace doall::bench
