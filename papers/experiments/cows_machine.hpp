// Recorded loops in virtual time: what each schedule makes of them, on any number of workers.
//
// A run is a function of the loop, the schedule, the number of workers and the seed, which says
// when each worker comes and whom wsr steals from. Costs are in looks at a neighbour, as recorded;
// so are the prices below, at some 2 ns a look. Balance is that of runs to which all workers come
// at once: what somebody who is late has not done is no schedule's to make up for in a short loop.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lanes/cows_recorded.hpp"

namespace doall::bench {

struct machine_prices {
  double own = 4;       // a reservation from the own list
  double central = 40;  // a chunk from the queue of all: a cache line that another core has
  double stolen = 120;  // a theft: three such lines
  double look = 5;      // at a worker's list, of those who look at all: such loads overlap
  double late = 1000;   // workers come within that time, each when its seed says; worker 0 at once
  // Each is slower in a loop that looks at neighbours, wherever they are, by a part of its time, up
  // to this, as its seed says.
  double jitter = 0;
  double moved = 0;  // an iteration that was stolen: its data are in its owner's cache
  // A reservation of those who know no costs; none: as others'.
  std::optional<double> own_by_number = {};
  double failed = 0;  // a try to steal that fails
  // So many workers' locks lie in a line, which serves one at a time. A reservation takes `own` if
  // another of them was there before, else this part of it; and keeps the line for that part.
  std::uint32_t locks_in_line = 1;
  double own_again = 1;
  double own_served = 1;
};

// What a loop is run by when the program is given that schedule.
using schedule_of_loop = std::string (*)(const recorded_loop& loop, const std::string& text);

struct machine_request {
  std::vector<std::uint32_t> workers{8, 16, 40};
  unsigned seeds = 100;  // 1, 2, ...
  machine_prices prices = {};
  std::vector<std::string> schedules = cows_schedules();
  schedule_of_loop by = [](const recorded_loop& loop, const std::string& text) {
    return schedule_of(loop.kind, text);
  };
  double uniform_cost = loop_recorder::vertex_cost;  // an iteration of a uniform loop
  std::vector<double> slowness = {};                 // of workers, besides the jitter
  bool judges_balance = true;                        // machine_figures::executed is wanted
};

// How many seeds a schedule is run with: dynamic deals a chunk an iteration, all of a price, so
// seeds make next to no difference to it and a tenth of them will do.
unsigned seeds_of(const std::string& schedule, unsigned seeds);

// What the workers have executed, none of whom was late: of the seed with the worst balance.
struct executed_cost {
  double busiest = 0;  // worker
  double mean = 0;
  double bound = 0;  // the larger of mean and largest reservation

  double imbalance() const { return mean > 0 ? busiest / mean : 1; }
  double over_bound() const { return bound > 0 ? busiest / bound : 0; }
};

// Of a loop, over the seeds. A program's are sums over its loops; those of executed cost over the
// loops that are not uniform.
struct machine_figures {
  double makespan = 0;       // mean
  double steals = 0;         // mean, done
  double tried = 0;          // mean
  double costed_steals = 0;  // mean, those in costed loops
  executed_cost executed = {};
};

class machine {
 public:
  explicit machine(const machine_request& asked) : asked_(asked) {}

  // Runs what has not been run yet, several runs at once.
  void run(const std::vector<recorded_loop>& loops);

  // Of a program that has run, under `schedule` with Opt2 and Opt3 (schedule_of()).
  machine_figures of(const std::vector<recorded_loop>& loops, const std::string& schedule,
                     std::uint32_t workers) const;

 private:
  // Costs by their fingerprint: kernels have loops in common.
  struct cell {
    std::uint64_t fingerprint;
    std::uint32_t workers;
    std::string schedule;
    bool guarded;  // runs by it instead of by wsrw

    auto operator<=>(const cell&) const = default;
  };

  cell cell_of(const recorded_loop& loop, const std::string& schedule, std::uint32_t workers) const;
  machine_figures run_one(const recorded_costs& costs, const cell& how) const;

  machine_request asked_;
  std::map<cell, machine_figures> done_;
};

}  // namespace doall::bench
