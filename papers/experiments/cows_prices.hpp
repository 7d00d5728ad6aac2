// What `doall bench cows` finds out on threads besides everybody's times, of wsrw and the two that
// it is made from, through the native door:
//   - what COWS's optimisations save: wsrw with and without each, interleaved (Figure 19)
//   - thefts tried and done, and the imbalance of executed cost
//   - the price of computing costs, as a part of a program's run
//   - the price of a reservation
// By a lane of their own, so that nobody who is timed is asked for more (lanes/cows_prices.hpp).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "driver/programs.hpp"

namespace doall::bench {

struct priced_program {
  std::string name;
  unsigned rounds;
};

// Prints all tables, with verdicts, and returns the JSON of all. `arguments`: SIZE and perhaps
// FOLDER, as of the native lane that is timed. Throws lane_error when an answer is wrong or the
// lane is gone.
nlohmann::ordered_json price_cows(const contest& c, std::vector<std::string> arguments,
                                  const std::vector<priced_program>& programs);

}  // namespace doall::bench
