// What a loop gets: whether its caller runs it alone or shares it. README.md has the model.
//
// Pure: what the machine, the site and the dice say are arguments. Threads, OpenMP's regions, tests
// and the simulator of worlds (tests/decide/worlds.hpp) call the same function. It asks for no time
// of day: budgets are parts of the time that the site's own loops have taken.
// Cost: some 50 operations; `is_usual` spares it most short loops (site_times.hpp).
#pragma once

#include <cstdint>

namespace doall::decide {

enum class way : std::uint8_t {
  alone,      // on its caller, until it has taken too long
  in_blocks,  // shared, one block for each worker
  balanced,   // shared, by the schedule for native loops
};

// Of one run of a loop.
struct facts {
  std::uint64_t indices;
  std::uint32_t workers;  // more than 1
  double burden_ns;       // what an empty loop on so many takes
  std::uint64_t dice;     // any number; another one for each run
};

// How long loops of one length took in one way, in ns an index. The burden does not count.
struct way_times {
  std::uint32_t runs = 0;  // that are kept; 0: the others mean nothing
  double mean_ns = 0;      // without the dearest
  double least_ns = 0;
};

// What the site knows of loops of such a length.
struct site_view {
  way_times alone;  // with the time after an offer, for those whose rest was shared
  way_times shared;
  double whole_ns = 0;  // the least of an index in runs that ended alone; 0: none did
  double near_ns = 0;   // the same of the nearest length that has it, if this one did not run alone
  double spent_ns = 0;  // by all runs of such a length
  double explored_ns = 0;   // lost by those that explored
  std::uint32_t held = 0;   // how often in a row a rest that was shared gained nothing
  std::uint32_t turns = 0;  // exploring runs that are still to come

  bool is_new() const { return alone.runs == 0 && shared.runs == 0 && near_ns == 0; }
};

// When a run alone ends, and its rest is shared.
struct recall {
  double after_ns = 0;              // it has taken so long
  double rival_ns = 0;              // it explores: what sharing takes; 0: it does not
  std::uint64_t longest_piece = 1;  // from one look to the next

  // Whether to share the rest of a loop of which so many indices took so long.
  bool is_due(double elapsed_ns, std::uint64_t ran, std::uint64_t indices) const;

  // How many indices to run until the next look, after `last` of them that took last_ns. The first
  // piece is one index.
  std::uint64_t next_piece(std::uint64_t last, double last_ns, double elapsed_ns) const;
};

struct verdict {
  way how;
  bool explores = false;       // it is expected to lose
  double expected_ns = 0;      // what the better way takes; 0: not known
  double gain_ns = 0;          // by sharing; below 0: it loses
  bool gains_nothing = false;  // alone is better although the loop is longer than the burden
  recall alone = {};           // if it runs alone, also for another reason
};

verdict decide(const facts& f, const site_view& site);

// How to share a loop that takes so long alone.
way shared_way(double alone_ns, double burden_ns, std::uint32_t workers);

// The choice of one that has no times but this: whether sharing saves more than the burden.
way way_by_cost(double alone_ns, double burden_ns, std::uint32_t workers);

}  // namespace doall::decide
