// What a loop gets: whether its caller runs it alone or shares it. README.md has the model.
//
// Pure: what the machine, the site and the dice say are arguments. Threads, OpenMP's regions, tests
// and the simulator of worlds (tests/decide/worlds.hpp) call the same function. It asks for no time
// of day: budgets are parts of the time that the site's own loops have taken.
// Cost: some 50 operations; `is_usual` spares it most short loops (site_times.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace doall::decide {

enum class way : std::uint8_t {
  alone,      // on its caller, until it has taken too long
  in_blocks,  // shared, one block for each worker
  balanced,   // shared, by the schedule for native loops
};

// Of one run of a loop.
struct facts {
  std::uint64_t indices;
  std::uint32_t workers;   // more than 1
  double burden_ns;        // what an empty loop on so many takes
  std::uint64_t dice;      // any number; another one for each run
  bool may_recall = true;  // alone, it can be shared before it ends
};

// Dice by which nothing is explored.
inline constexpr std::uint64_t no_chance = 1;

// How long loops of one length took in one way, in ns an index. The burden does not count.
struct way_times {
  std::uint32_t runs = 0;  // that are kept; 0: the others mean nothing
  double mean_ns = 0;      // without the dearest
  double least_ns = 0;
  double all_ns = 0;  // the mean with the dearest
  // What runs far above the usual ones have added to it, over some hundred runs.
  double many_runs = 0;  // so many
  double rare_ns = 0;    // the sum
  double rare_squares = 0;
};

// What the site knows of loops of such a length.
struct site_view {
  way_times alone;  // with the time after an offer, for those whose rest was shared
  way_times shared;
  double whole_ns = 0;  // the least of an index in runs that ended alone; 0: none did
  double near_ns = 0;   // the same of the nearest length that has it, if this one did not run alone
  double recent_ns = 0;     // an index, in the faster of the last two alone, or less since
  double spent_ns = 0;      // by all runs of such a length
  double explored_ns = 0;   // lost by those that explored, less what pays for it
  std::uint32_t held = 0;   // how often in a row a rest that was shared gained nothing
  std::uint32_t turns = 0;  // exploring runs that are still to come

  bool is_new() const { return alone.runs == 0 && shared.runs == 0 && near_ns == 0; }
};

// How far a run alone has come, after a piece.
struct progress {
  static constexpr double no_piece = std::numeric_limits<double>::infinity();

  std::uint64_t indices;  // of the loop
  std::uint64_t ran;      // of these
  double elapsed_ns;
  std::uint64_t last;           // in the last piece
  double last_ns;               // which that took
  double before_ns = no_piece;  // an index of the piece before

  // An index of the rest, if it goes on like the faster one of the last two pieces: a thread may
  // have been preempted in one.
  double index_ns() const { return std::min(last_ns / static_cast<double>(last), before_ns); }
  double rest_ns() const { return index_ns() * static_cast<double>(indices - ran); }
};

// When a run alone ends, and its rest is shared.
struct recall {
  double at_least_ns = 0;           // it has taken so long,
  double after_ns = 0;              // and would take so long in the end
  double rival_ns = 0;              // it explores: what sharing takes; 0: it does not
  double least_rest_ns = 0;         // a shorter rest gains nothing
  std::uint64_t longest_piece = 1;  // from one look to the next

  // Whether to share the rest of a loop that has come so far.
  bool is_due(const progress& now) const;

  // How many indices to run until the next look. The first piece is one index.
  std::uint64_t next_piece(const progress& now) const;
};

struct verdict {
  way how;
  bool explores = false;         // it is expected to lose
  std::uint32_t more_turns = 0;  // if it explores: runs that explore after it
  double expected_ns = 0;        // what the better way takes; 0: not known
  double gain_ns = 0;            // by sharing; below 0: it loses
  bool gains_nothing = false;    // alone is better although the loop is longer than the burden
  recall alone = {};             // if it runs alone, also for another reason
};

verdict decide(const facts& f, const site_view& site);

// The view of a site of which nothing is known but what an index takes alone.
site_view known_cost(double an_index_ns);

// Whether a loop that takes so long alone may gain, whatever the burden is.
bool may_gain(double alone_ns, std::uint32_t workers);

// How long loops may be that run without the runtime, and for how long they may.
double longest_plain_ns(double burden_ns, std::uint32_t workers);
double plain_for_ns(std::uint64_t dice);

}  // namespace doall::decide
