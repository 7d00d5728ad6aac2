#include "omp/thread_places.hpp"

#include <algorithm>

#include "omp/affinity_format.hpp"
#include "omp/icv.hpp"
#include "threads/placement.hpp"
#include "topology/topology.hpp"

namespace doall::omp {
namespace {

place_range all_places() { return {0, static_cast<std::uint32_t>(process().places.size())}; }

// Domains never change, so a thread that asks again gets the same answer.
constinit thread_local team_places last_spread;
constinit thread_local bool last_fits = false;

bool fits_domains(const team_places& spread, std::span<const std::uint32_t> domain_starts) {
  if (spread.all.size() < spread.threads) return false;
  for (std::uint32_t thread = 0; thread < spread.threads; ++thread) {
    const place_range part = spread.partition_of(thread);
    for (std::uint32_t place = part.begin; place < part.end; ++place) {
      if (!team::is_in_domain(place, domain_starts[thread])) return false;
    }
  }
  return true;
}

}  // namespace

place_range partition_of(const task_state& task) {
  for (const task_state* at = &task; at != nullptr; at = at->team->parent) {
    const team_places& p = at->team->places;
    if (p.bind != binding::none) return p.partition_of(at->index);
    if (at->league != nullptr) return at->league->partition_of(at->team_number);
  }
  return all_places();
}

int place_of_this_thread() {
  const auto& places = process().places;
  if (places.empty()) return -1;
  if (team::place_here() == team::no_place && team::environment().pinned) {
    team::move_to_place(static_cast<std::int32_t>(partition_of(self()).begin));
  }
  if (team::place_here() != team::no_place) return team::place_here();
  const auto found = std::ranges::find(places, topology::allowed_cpus());
  return found == places.end() ? -1 : static_cast<int>(found - places.begin());
}

void choose_places(region& r, const task_state& parent, binding clause) {
  const auto var = binding{parent.settings().place};
  team_places chosen;
  // bind-var is false: no clause binds. Nor where the system does not tell the CPUs.
  if (r.size > 1 && var != binding::none && team::environment().pinned) {
    chosen.bind = clause != binding::none ? clause : var;
    if (chosen.bind == binding::is_true) {
      chosen.bind = team::environment().spread ? binding::spread : binding::close;
    }
    chosen.threads = r.size;
    chosen.all = partition_of(parent);
    if (parent.league != nullptr && r.size > chosen.all.size()) chosen.all = parent.league->all;
    const std::int32_t here = team::place_here();
    chosen.home = here == team::no_place ? chosen.all.begin : static_cast<std::uint32_t>(here);
    if (here == team::no_place) team::move_to_place(static_cast<std::int32_t>(chosen.home));
  }
  if (r.places != chosen) r.places = chosen;
  if (!r.takes_places) r.takes_places = true;
}

void take_place(const task_state& me) {
  const team_places& p = me.team->places;
  if (p.bind != binding::none) {
    team::move_to_place(static_cast<std::int32_t>(p.place_of(me.index)));
  }
  show_place();
}

void end_places(const task_state& parent) {
  const auto& cpus = team::environment().reset_cpus;
  if (!cpus.empty() && parent.team->level == 0) team::leave_place(cpus);
}

league_places::league_places(task_state& me, std::uint32_t teams, binding bind) : me_(me) {
  if (bind == binding::none || !team::environment().pinned) return;
  const auto home = static_cast<std::uint32_t>(place_of_this_thread());
  places_ = {bind, teams, home, partition_of(me)};
  me.league = &places_;
}

league_places::~league_places() {
  if (me_.league != &places_) return;
  me_.league = nullptr;
  team::move_to_place(static_cast<std::int32_t>(places_.home));
}

void league_places::take(std::uint32_t team) const {
  if (me_.league != &places_) return;
  team::move_to_place(static_cast<std::int32_t>(places_.place_of(team)));
  show_place();
}

void show_place() {
  if (process().shows_affinity) show_affinity();
}

bool parts_are_domains(const task_state& task, std::span<const std::uint32_t> domain_starts) {
  if (!team::environment().pinned) return true;
  const auto threads = static_cast<std::uint32_t>(domain_starts.size());
  const auto here = static_cast<std::uint32_t>(std::max(team::place_here(), 0));
  const team_places spread{binding::spread, threads, here, partition_of(task)};
  if (last_spread != spread) {
    last_fits = fits_domains(spread, domain_starts);
    last_spread = spread;
  }
  return last_fits;
}

}  // namespace doall::omp
