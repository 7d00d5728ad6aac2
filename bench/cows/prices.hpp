// What `doall bench cows` finds out on threads besides everybody's times, of wsrw and the two that
// it is made from, through the native door:
//   - what COWS's optimisations save: wsrw with and without each, interleaved (Figure 19)
//   - thefts tried and done, and the imbalance of executed cost
//   - the price of computing costs, as a part of a program's run
//   - the price of a reservation
// By a lane of their own, so that nobody who is timed is asked for more (lane_prices.hpp).
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "programs/measurement.hpp"
#include "stealing/verdict.hpp"

namespace doall::bench {

// Medians of some runs, none of which is timed.
struct watched_schedule {
  std::string program;
  std::string schedule;
  double imbalance = 1;  // sums over loops that are not uniform: busiest workers over means
  bool steals = false;   // whether its workers do; then:
  double tried = 0;
  double done = 0;
  double costed_tried = 0;  // of them, in costed loops
  double costed_done = 0;
};

// Of a program that has costed loops.
struct cost_price {
  std::string program;
  double degree = 0;        // average, of the graph's vertices
  double costed_loops = 0;  // a run
  double first_ns = 0;      // that a loop takes longer whose sums are made
  double reused_ns = 0;     // that a loop takes longer to begin than by wsri, where sums are there
  double run_ns = 0;        // by wsrw

  // Parts of a run: if sums are made once, and if they are there.
  double share() const { return (first_ns + reused_ns * costed_loops) / run_ns; }
  double reused_share() const { return reused_ns * costed_loops / run_ns; }
  // Where the bars hold.
  bool is_judged() const { return degree >= 10; }
};

struct reservation_price {
  std::string schedule;
  double least_ns = 0;
  double median_ns = 0;
};

struct cows_prices {
  std::vector<program_result> optimisations;  // wsrw and its settings
  std::vector<watched_schedule> watched;
  std::vector<cost_price> costs;
  std::vector<reservation_price> reservations;
};

struct priced_program {
  std::string name;
  unsigned rounds;
};

// The lane. `arguments`: SIZE and perhaps FOLDER, as of the native lane that is timed.
contenders start_price_lane(const contest& c, std::vector<std::string> arguments);

// By start_price_lane()'s. Throws lane_error when an answer is wrong or the lane is gone.
cows_prices measure_prices(const std::vector<contender>& lane,
                           const std::vector<priced_program>& programs, base::rng& random,
                           const progress& show);

// Bars: what costs take of a run, and a reservation.
std::vector<verdict> verdicts_of(const cows_prices& all);

// All tables, without verdicts.
std::string to_text(const cows_prices& all);
// With verdicts.
nlohmann::ordered_json to_json(const cows_prices& all);

}  // namespace doall::bench
