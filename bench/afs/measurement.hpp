// The measurement of one program: everybody under every schedule, to find the best
// of each runtime; then those against each other in rounds of their own, so that
// nobody's number is its luckiest.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "afs/contenders.hpp"
#include "base/rng.hpp"
#include "common/statistics.hpp"
#include "kernels/programs.hpp"

namespace doall::bench {

// An entrant's times in one program.
struct series {
  entrant of;
  double stayed_part = 0;              // of the iterations that ran again
  std::vector<double> runs_ns = {};    // every run of every round
  std::vector<double> rounds_ns = {};  // the median of each round's

  double median_ns() const { return median_of(runs_ns); }
};

// Everybody's times in one program.
struct field {
  double serial_ns = 0;  // the median
  std::vector<series> all = {};
};

// Another's best against our best, in the last rounds.
struct duel {
  series other;
  std::optional<estimate> ratio;  // ours over the other's
};

struct program_result {
  std::string program;
  std::string imbalance;
  std::string affinity;
  field chosen_from = {};
  std::optional<series> ours = {};  // our best in the last rounds; none when we do not take part
  std::vector<duel> peers = {};     // the best of each
  // Our best that is told the iterations' costs: the paper's base-line, not a rival.
  std::optional<duel> told = {};
};

// No loop of ours may be slower than a peer's by more.
inline constexpr double ratio_limit = 1.02;

// Whether the interval includes or lies under the limit; nothing without an interval.
std::optional<bool> no_slower(const duel& d);
// Than all peers; nothing when there is none, or one of them has no answer.
std::optional<bool> no_slower(const program_result& r);

struct round_numbers {
  unsigned choosing = 10;
  // An interval wants more rounds, and a round has less in it.
  unsigned last() const { return choosing * 10; }
};

using progress = std::function<void(const std::string& what)>;

// Checks everybody's answer, then runs rounds of everybody and the serial loops once,
// in an order shuffled anew for each. Throws lane_error, as measure() does, when an
// answer is wrong or a lane is gone.
field measure_all(const std::string& program, const std::vector<entrant>& entrants, unsigned rounds,
                  base::rng& random, const progress& show);

program_result measure(const program& p, const std::vector<contender>& present,
                       round_numbers rounds, base::rng& random, const progress& show);

}  // namespace doall::bench
