#include "threads/team_trees.hpp"

#include "settings/settings.hpp"

namespace doall::team {
namespace {

// The leader alone releases and joins teams up to that size in one domain: a tree of four has two
// levels, hence two round trips, and in that time one worker writes and reads three lines side by
// side.
constexpr std::uint32_t largest_flat_team = 4;

// A full barrier counts the arrivals of teams up to that size in one domain. The counter's line is
// transferred P times, one after the other; a tree's longest path has two transfers at each level,
// up and down, so 4 log2 P: as many at 16 (src/barrier/README.md).
constexpr std::uint32_t largest_counted_team = 16;
constexpr std::uint32_t largest_counted_pair = 2;

}  // namespace

// A team whose threads take turns on their CPUs is led by one thread, too: each level of a tree
// would be a round of turns.
barrier::tree tree_for(std::uint32_t workers, std::span<const std::uint32_t> domain_starts,
                       bool crowded) {
  const barrier_form form = environment().barrier;
  const bool one_domain = domain_starts.size() < 2 || domain_starts[1] >= workers;
  const bool small = (workers <= largest_flat_team || crowded) && one_domain;
  if (form == barrier_form::centralized || (form == barrier_form::best && small)) {
    return barrier::tree::flat();
  }
  return barrier::tree::over(domain_starts);
}

// A team whose threads take turns on their CPUs is counted too: there a barrier costs thread
// switches, and a tree has more of them.
barrier::tree meeting_for(barrier::branch team, std::span<const std::uint32_t> domain_starts,
                          std::uint32_t threads_at_work) {
  const settings& s = environment();
  const barrier_form form = s.barrier;
  const bool crowded = threads_at_work > s.cpus;
  // Decided first, for it needs no search for the first slots of domains.
  if (form == barrier_form::best && (crowded || team.size() <= largest_counted_pair)) {
    return barrier::tree::flat();
  }
  const barrier::tree shape = barrier::tree::over(domain_starts);
  const bool one_domain = shape.own_domain(team) == team;
  const bool small = team.size() <= (one_domain ? largest_counted_team : largest_flat_team);
  const bool counted = form == barrier_form::best && (crowded || small);
  return counted || form == barrier_form::centralized ? barrier::tree::flat() : shape;
}

}  // namespace doall::team
