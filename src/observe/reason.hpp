// Why a loop ran under the schedule that it had, for the report.
#pragma once

#include <cstdint>
#include <string_view>

namespace doall::observe {

enum class reason : std::uint8_t {
  none,  // it is not known, or a region

  named,      // in the loop's source
  steered,    // for all loops that can be: doall run --schedule, DOALL_SCHEDULE, doall_set_schedule
  runtime,    // the run-sched-var: OMP_SCHEDULE, omp_set_schedule(), or what it is at first
  compiled,   // nobody names one: as the compiler would
  monotonic,  // the loop's order allows no other
  any_order,  // its kind is dynamic and its order is free: dealt from partitions, and stolen
  sections,   // no loop: dealt one at a time

  costs_told,     // what iterations cost is known
  one_worker,     // or one iteration
  unknown_cost,   // auto, in the first run
  too_short,      // auto: sharing costs more than it gains
  gains_nothing,  // auto: so few iterations took as long when they were shared
  tried_alone,    // auto: once, to compare
  gains_little,   // auto: no time to balance
  gains_much,     // auto: long enough to be balanced
  unasked,        // auto, but short loops are shared, too (DOALL_SMALL_LOOPS)
  by_times,       // auto, where each thread has one block: cut by what earlier runs took
  frozen,         // auto: as its site chose before, for good
  loaded,         // the same, in another process
  nested,         // in an iteration of another loop
  stolen_from,    // its schedule splits it, or the workers are busy
};

constexpr std::string_view text_of(reason why) {
  switch (why) {
    case reason::none: return "-";
    case reason::named: return "its source names it";
    case reason::steered: return "steered";
    case reason::runtime: return "run-sched-var";
    case reason::compiled: return "names none: as compiled";
    case reason::monotonic: return "must be monotonic";
    case reason::any_order: return "nonmonotonic: stolen from partitions";
    case reason::sections: return "sections: one at a time";
    case reason::costs_told: return "costs are told";
    case reason::one_worker: return "one worker";
    case reason::unknown_cost: return "auto: cost not known yet";
    case reason::too_short: return "auto: too short to be shared";
    case reason::gains_nothing: return "auto: gained nothing when shared";
    case reason::tried_alone: return "auto: tried alone";
    case reason::gains_little: return "auto: too short to be balanced";
    case reason::gains_much: return "auto: long enough to be balanced";
    case reason::unasked: return "auto: short loops are shared, too";
    case reason::by_times: return "auto: blocks cut by their times";
    case reason::frozen: return "auto: frozen";
    case reason::loaded: return "auto: loaded";
    case reason::nested: return "nested: shared if others are idle";
    case reason::stolen_from: return "stolen from: it splits, or others are busy";
  }
  return "?";
}

}  // namespace doall::observe
