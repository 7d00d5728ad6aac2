// The stealing engine in virtual time: the rules, deques, victims and joins of src/steal, on any
// number of workers, one of which runs at a time.
//
// Time: an iteration takes its cost; the engine's actions take the prices below. A worker's step
// happens at one moment and its time passes afterwards, so workers interleave at steps: a decision,
// with all that the worker does up to the next one and no other worker can see; a look whether a
// loop is complete; an attempt to steal. Workers that have nothing try to steal again and again, as
// the real ones do.
//
// One loop may be watched: who runs which of its iterations is written down, and they use data on a
// machine's memory. A worker's fetches are one after the other, and wait for nobody else's: a
// machine with a bus is for virtual_time.hpp.
#pragma once

#include <cstdint>
#include <optional>

#include "schedule/grammar.hpp"
#include "sim/nest.hpp"
#include "sim/virtual_time.hpp"
#include "steal/worker_thread.hpp"

namespace doall::sim {

// In cycles, as measured on this project's machines: a fence or a locked instruction takes about
// 20, a line that another core has written 400.
struct stealing_prices {
  double start = 20;        // beginning a loop
  double check = 4;         // a decision
  double transaction = 20;  // the owner's access to its deque
  double attempt = 100;     // a look at a victim
  double theft = 400;       // a part, its loop, and its data
  double report = 100;      // of a stay, to the starter that waits for it
  double attempt_most = 0;  // attempts in vain take twice as long each, up to this; 0: all the same

  // The same in another unit of time, for a cycle of that length.
  stealing_prices scaled(double cycle) const {
    return {start * cycle, check * cycle,  transaction * cycle, attempt * cycle,
            theft * cycle, report * cycle, attempt_most * cycle};
  }
};

struct stealing_setup {
  schedules::spec schedule;  // of all loops; of the property splitting, or hybrid
  std::uint32_t workers = 1;
  std::uint64_t seed = 1;
  stealing_prices prices = {};
  double worth = 1'000;       // LBS's T: iterations that take as long are worth a look
  double too_short = 10'000;  // LBS+'s, of a loop
  // The machine deals the iterations of a loop that is in no other, one at a time, and this is what
  // one takes: XMT's hardware (LBS, section 4). Without it the engine shares these loops, too.
  std::optional<double> deal = {};
  std::uint32_t starter = 0;          // the worker that begins
  std::vector<double> arrivals = {};  // as in loop_setup; the starter is there at 0
  std::vector<double> slowness = {};  // as there
  std::uint32_t watched = 0;          // the number of a loop that holds no others; 0: none
  uses_of_iteration uses = {};        // the watched loop's
  memory_system* memory = nullptr;
};

struct stealing_result {
  double makespan = 0;
  deque::counts total;
  std::uint32_t last = 0;  // the worker that came last to the end of a loop
  execution watched = {};  // its chunks, who ran which; without times, origins and accounts
};

// Runs the program. Throws std::logic_error when a loop's iterations were not dealt exactly once
// (exactly_once.hpp). O(events log workers).
stealing_result run_by_stealing(const nest& program, const stealing_setup& setup);

}  // namespace doall::sim
