// Programs that are measured in turn, each with as many rounds as its part of the time has room
// for.
#pragma once

#include <string>
#include <vector>

#include "base/rng.hpp"
#include "driver/pace.hpp"
#include "driver/stealing_report.hpp"

namespace doall::bench {

// --rounds, --json and --minutes. Without --rounds there are 0: as many as there is time for.
void add_paced_options(cli::option_parser& options, run_options& o, double& minutes);

class paced_measurement {
 public:
  // The time begins now. `programs`: how many there will be in all. `made` has the options and
  // outlives this object.
  paced_measurement(stealing_report& made, double minutes, std::size_t programs)
      : made_(made), pace_(minutes, programs) {}

  // Prints each program's table when it is done, and adds it to `results`, a member of the report.
  // Throws lane_error when an answer is wrong or a lane is gone.
  void measure_all(const std::vector<std::string>& programs, const std::vector<contender>& present,
                   std::vector<stealing_result>& results);

 private:
  stealing_result measure_one(const std::string& program, const std::vector<contender>& present);
  unsigned paced(const std::string& program, const std::vector<contender>& present);
  void ask_affinity(stealing_result& r) const;

  stealing_report& made_;
  pace pace_;
  base::rng random_{1};
};

}  // namespace doall::bench
